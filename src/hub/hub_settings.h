#ifndef OCELLI_HUB_HUB_SETTINGS_H_
#define OCELLI_HUB_HUB_SETTINGS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"

namespace ocelli::hub {

// Where models come from, where they go, and how patient a download is.
struct HubSettings {
  std::filesystem::path cache_directory;                        // holds models--org--name folders
  std::string huggingface_endpoint = "https://huggingface.co";  // or a mirror; no '/' at the end
  std::string modelscope_endpoint = "https://www.modelscope.cn";
  std::string token;     // for the Hugging Face endpoint only; empty: none
  bool offline = false;  // no connection is made

  int connections = 4;                             // at once, for one file
  size_t part_bytes = size_t{1} << 20;             // what is fetched again when it is bad
  size_t request_bytes = size_t{64} << 20;         // asked for at once
  uint64_t spare_disk_bytes = uint64_t{64} << 20;  // must stay free on the disk

  std::chrono::milliseconds connect_timeout{15'000};
  std::chrono::milliseconds answer_timeout{60'000};  // for a whole small answer, such as a list
  std::chrono::seconds stall_time{30};  // a connection that brings less than stall_bytes_per_second
  long stall_bytes_per_second = 1024;  // for so long is cut and tried again  NOLINT: libcurl's type
  int max_failures = 8;                // in a row, without progress between them
  std::chrono::milliseconds retry_delay{500};  // doubles with each failure
  std::chrono::milliseconds max_retry_delay{30'000};
  std::chrono::milliseconds max_retry_after{300'000};  // a server that wants more is given up

  // Returns the settings of the environment, which other tools read too: HF_HUB_CACHE, HF_HOME,
  // XDG_CACHE_HOME or HOME; HF_ENDPOINT; HF_TOKEN or the file that `hf auth login` writes;
  // MODELSCOPE_DOMAIN; HF_HUB_OFFLINE. Proxies are libcurl's matter (https_proxy, no_proxy).
  // **Errors**: kInvalidArgument for an endpoint that is no http(s) URL, or when no variable says
  // where the cache is.
  static Result<HubSettings> FromEnvironment();
};

}  // namespace ocelli::hub

#endif  // OCELLI_HUB_HUB_SETTINGS_H_
