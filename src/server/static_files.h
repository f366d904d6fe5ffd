#ifndef OCELLI_SERVER_STATIC_FILES_H_
#define OCELLI_SERVER_STATIC_FILES_H_

#include <string>
#include <string_view>

namespace ocelli::server {

// One file of the web page, built into the program.
struct StaticFile {
  std::string path;              // "/assets/page.js"; "/" is the page itself
  std::string content_type;      // "text/javascript; charset=utf-8"
  std::string content_encoding;  // "gzip", or empty
  std::string_view content;      // outlives the server
  bool immutable = false;        // its name changes with its content: browsers may keep it for good
  std::string_view policy;       // what a browser lets it load and do: a Content-Security-Policy
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_STATIC_FILES_H_
