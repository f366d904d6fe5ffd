#include "cli/serve_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <chrono>
#include <limits>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/quoted.h"
#include "cli/option_groups.h"
#include "cli/whole_number.h"

namespace ocelli::cli {
namespace {

constexpr size_t kMaxKeyFileBytes = size_t{1} << 20;
constexpr size_t kLeastPictureMemory = size_t{64} << 20;
constexpr int64_t kMostSeconds = 30 * 24 * 3600;
constexpr std::string_view kPathPunctuation = "-._~/";

// Adds an option that takes seconds.
template <typename Duration>
void AddSeconds(CLI::App& command, const std::string& name, Duration& field,
                const std::string& help) {
  const auto set = [&field](const int64_t& seconds) { field = std::chrono::seconds(seconds); };
  command.add_option_function<int64_t>(name, set, help)
      ->check(
          [](const std::string& text) { return CheckWholeNumber<int64_t>(text, 0, kMostSeconds); })
      ->default_str(
          std::to_string(std::chrono::duration_cast<std::chrono::seconds>(field).count()));
}

// Whether `path` stands in addresses as it is: "/a", "/a/b", "/a/b/", "/".
bool IsBasePath(std::string_view path) {
  return path.starts_with('/') && path.find("//") == std::string_view::npos &&
         std::ranges::all_of(path, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                  kPathPunctuation.find(c) != std::string_view::npos;
         });
}

// Adds an option that may be given several times, each with one value.
void AddList(CLI::App& command, const std::string& name, std::vector<std::string>& field,
             const std::string& help) {
  command.add_option(name, field, help)->allow_extra_args(false);
}

void AddListenerOptions(CLI::App& command, ServeOptions& options) {
  server::ServerOptions& server = options.server;
  command.add_option("--host", server.host, "Address to listen on; 0.0.0.0: all of IPv4")
      ->capture_default_str();
  AddWhole(command, "--port", server.port, "Port to listen on; 0: any free one")
      ->capture_default_str();
  command.add_option("--base-path", server.base_path, "Path before every route, such as /ocelli");
  command.add_option("--tls-cert", server.tls_certificate, "Certificate chain (PEM), for TLS");
  command.add_option("--tls-key", server.tls_key, "Its private key (PEM)");
  AddWhole(command, "--max-connections", server.max_connections, "Connections at the same time", 1,
           100'000)
      ->capture_default_str();
  AddSize(command, "--max-body", server.max_body_bytes, "Largest request body (default 64M)");
  AddSeconds(command, "--drain-seconds", server.drain_timeout,
             "For running answers to end when the server stops");
  AddSeconds(command, "--ping-seconds", server.ping_interval,
             "Between comments that keep a silent stream alive");
}

void AddAccessOptions(CLI::App& command, ServeOptions& options) {
  server::ServerOptions& server = options.server;
  AddList(command, "--api-key", server.api_keys,
          "Key that clients must send (several times: any of them)");
  command.add_option("--api-key-file", options.api_key_file,
                     "File with such keys, one a line; lines that begin with # are comments");
  AddList(command, "--allow-origin", server.allowed_origins,
          "Origin of web pages that may call, such as https://app.example; *: any");
  AddList(command, "--allow-host", server.allowed_hosts,
          "Host name to answer to besides localhost");
}

void AddServedPictureOptions(CLI::App& command, ServeOptions& options) {
  server::ServerOptions& server = options.server;
  AddList(command, "--allow-image-hosts", server.image_hosts,
          "Host that pictures may be fetched from (several times); *: any of the open Internet");
  command.add_option("--allow-image-dir", server.image_directory,
                     "Folder that file:// pictures may be read from");
  AddSize(command, "--max-picture-bytes", server.max_picture_bytes,
          "Largest encoded picture (default 32M)");
  AddWhole(command, "--max-pictures", server.max_pictures, "Pictures of one request", 1, 4096)
      ->capture_default_str();
  AddSize(command, "--picture-store", server.picture_store_bytes,
          "Memory for pictures kept by their uuid (default 256M; less on small machines)");
  AddWhole(command, "--picture-threads", server.picture_threads,
           "Threads that decode pictures (default: cores x 1.5)", 0, 1024);
  AddSeconds(command, "--fetch-seconds", server.fetch_timeout, "For fetching one picture");
}

void AddTaskOptions(CLI::App& command, ServeOptions& options) {
  AddSeconds(command, "--result-seconds", options.server.result_lifetime,
             "That results of /predict are kept");
  AddWhole(command, "--max-results", options.server.max_results, "Results of /predict kept", 1,
           1'000'000)
      ->capture_default_str();
  AddSeconds(command, "--stuck-seconds", options.server.stuck_after,
             "Without a step while work waits, after which /ready says 503");
}

Status AddKeysOf(const std::string& path, std::vector<std::string>& keys) {
  OCELLI_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxKeyFileBytes));
  std::istringstream lines(text);
  std::string line;
  bool found = false;
  while (std::getline(lines, line)) {
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#') continue;
    keys.push_back(line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1));
    found = true;
  }
  if (found) return {};
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{} holds no key; an empty file would let everybody in", path),
               "api_key_file"};
}

}  // namespace

void AddServeOptions(CLI::App& command, ServeOptions& options) {
  AddModelOptions(command, options.model);
  command.add_option("--model-name", options.model_name,
                     "Name that clients know the model by (default: from its folder)");
  AddEngineOptions(command, options.engine);
  AddSamplingOptions(command, options.sampling);
  AddPictureOptions(command, options.picture);
  AddListenerOptions(command, options);
  AddAccessOptions(command, options);
  AddServedPictureOptions(command, options);
  AddTaskOptions(command, options);
}

Status CompleteServeOptions(ServeOptions& options) {
  std::vector<std::string>& keys = options.server.api_keys;
  if (!options.api_key_file.empty()) {
    OCELLI_RETURN_IF_ERROR(AddKeysOf(options.api_key_file, keys));
  }
  for (const std::string& key : keys) {
    if (!key.empty()) continue;
    return Error{ErrorCode::kInvalidArgument, "--api-key is empty; leave it out to need no key",
                 "api_key"};
  }
  const std::string& base = options.server.base_path;
  if (!base.empty() && !IsBasePath(base)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--base-path {} must begin with / and hold only letters, digits and "
                             "-._~ between single slashes",
                             Quoted(base)),
                 "base_path"};
  }
  return {};
}

void FitToMemory(uint64_t usable_bytes, server::ServerOptions& options) {
  const uint64_t share = usable_bytes / 32;
  options.body_memory_bytes =
      std::max(options.max_body_bytes, std::min(options.body_memory_bytes, share));
  // One picture of the largest usual size always fits.
  options.picture_memory_bytes =
      std::max(kLeastPictureMemory, std::min(options.picture_memory_bytes, share));
  options.decode_memory_bytes =
      std::max(kLeastPictureMemory, std::min(options.decode_memory_bytes, usable_bytes / 20));
  options.picture_store_bytes = std::min(options.picture_store_bytes, share);
}

}  // namespace ocelli::cli
