#ifndef OCELLI_SERVER_SERVER_OPTIONS_H_
#define OCELLI_SERVER_SERVER_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "server/static_files.h"

namespace ocelli::server {

// Everything that a listener can be told. Defaults are safe: loopback, no keys, no other origins,
// no pictures from the network or from files.
struct ServerOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 7860;                      // 0: any free one
  std::string base_path;                     // "/ocelli": every route is below it
  std::vector<std::string> api_keys;         // empty: nobody is asked
  std::vector<std::string> allowed_origins;  // CORS; "*": every origin, without credentials
  std::vector<std::string> allowed_hosts;    // Host names answered to besides the listener's own
  std::filesystem::path tls_certificate;     // PEM; with tls_key
  std::filesystem::path tls_key;

  size_t max_connections = 512;
  size_t max_body_bytes = size_t{64} << 20;
  size_t body_memory_bytes = size_t{512} << 20;  // of all bodies that are read or parsed
  size_t max_header_bytes = size_t{32} << 10;
  std::chrono::milliseconds header_timeout{15'000};  // to send the head of a request
  std::chrono::milliseconds body_timeout{60'000};    // to make progress with its body
  std::chrono::milliseconds idle_timeout{75'000};    // between two requests
  std::chrono::milliseconds write_timeout{60'000};   // a client that does not read
  std::chrono::milliseconds ping_interval{10'000};   // between comments of a silent stream
  std::chrono::milliseconds drain_timeout{30'000};   // for running answers when stopping

  std::vector<std::string> image_hosts;   // http(s) pictures may come from here; "*": any public
  std::filesystem::path image_directory;  // file:// pictures may come from here; empty: none
  size_t max_picture_bytes = size_t{32} << 20;         // of one encoded picture
  std::chrono::milliseconds fetch_timeout{20'000};     // of one picture
  size_t max_pictures = 64;                            // of one request
  size_t picture_memory_bytes = size_t{1} << 30;       // of pictures prepared and not yet answered
  size_t decode_memory_bytes = size_t{1} << 30;        // of pixels being decoded and enhanced
  size_t picture_threads = 0;                          // decode pool; 0: cores x 1.5
  uint64_t picture_store_bytes = uint64_t{256} << 20;  // encoded pictures kept by uuid

  std::chrono::seconds result_lifetime{3600};  // of finished /predict tasks
  size_t max_results = 1000;
  std::chrono::seconds stuck_after{120};  // no step for so long while work waits: /ready says 503

  std::vector<StaticFile> static_files;  // the web page; empty: a plain page with the routes
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_SERVER_OPTIONS_H_
