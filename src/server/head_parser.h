#ifndef OCELLI_SERVER_HEAD_PARSER_H_
#define OCELLI_SERVER_HEAD_PARSER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "server/http_fault.h"
#include "server/http_message.h"

namespace ocelli::server {

// Reads the head of one HTTP/1 request out of bytes as they come. **Threads**: one.
class HeadParser {
 public:
  explicit HeadParser(size_t max_header_bytes);
  ~HeadParser();

  // Reads what it can of `input`, which begins with what earlier calls left, up to the end of the
  // head. Returns how many bytes are done with. Call it no more once done() or fault() is there.
  size_t Put(std::string_view input);

  bool done() const;
  const std::optional<HttpFault>& fault() const;
  // What stands in the head; `path` is the whole target. Valid after done().
  HttpRequest& request();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_HEAD_PARSER_H_
