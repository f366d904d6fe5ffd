#ifndef OCELLI_HUB_PULL_H_
#define OCELLI_HUB_PULL_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "hub/hub_settings.h"
#include "hub/hub_source.h"
#include "hub/repo_id.h"

namespace ocelli::hub {

struct PullRequest {
  RepoId repo;
  std::string revision = "main";
  SourceChoice source = SourceChoice::kAuto;
};

enum class PullStage {
  kListing,      // asking the hub what there is
  kWaiting,      // another process downloads the same file
  kDownloading,  //
  kVerifying,    // reading back what is on the disk
};

// How far a pull is. Bytes are those of all files; until the list of weights is known, of the
// small ones only.
struct PullProgress {
  PullStage stage = PullStage::kListing;
  std::string source;  // the hub that answers: "huggingface" or "modelscope"
  std::string file;
  uint64_t done_bytes = 0;  // on the disk
  uint64_t total_bytes = 0;
  double bytes_per_second = 0;         // over the network, of the last seconds
  std::optional<double> seconds_left;  // none: cannot be said yet
};

// Hears about progress several times a second. Returns false to stop: what was fetched is kept, so
// a pull that is stopped is a pull that pauses. **Threads**: called on the thread of Pull.
using PullCallback = std::function<bool(const PullProgress&)>;

struct PullResult {
  std::filesystem::path snapshot;  // the folder to load
  std::string commit;
  std::string source;
  uint64_t total_bytes = 0;
  uint64_t received_bytes = 0;  // over the network, this time
};

// Brings a model into the cache: asks the hub for the revision's files, fetches those that Ocelli
// reads, first config.json, which is checked before anything large is fetched, and lets the
// revision's name lead to them once all are there. Each file has the size and hash of the hub's
// list. A model that is there already is only verified. **Errors**: as HubSource::List and
// DownloadBlob; kUnsupported for a model that Ocelli does not run, or without safetensors weights;
// kResourceExhausted when the disk has no room for it, before anything large is fetched;
// kUnavailable when `settings.offline` and it is not there whole; kCancelled.
// **Threads**: any; two pulls of one model at once, in one process or several, share the work.
Result<PullResult> Pull(const HubSettings& settings, const PullRequest& request,
                        const PullCallback& callback);

}  // namespace ocelli::hub

#endif  // OCELLI_HUB_PULL_H_
