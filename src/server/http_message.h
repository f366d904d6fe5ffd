#ifndef OCELLI_SERVER_HTTP_MESSAGE_H_
#define OCELLI_SERVER_HTTP_MESSAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ocelli::server {

// Name and value. Names of requests are in lower case.
using HttpField = std::pair<std::string, std::string>;

// One request as the routes see it.
struct HttpRequest {
  std::string method;
  std::string path;   // below the base path, percent-decoded
  std::string query;  // as sent, without '?'
  int version = 11;   // 10 or 11
  std::vector<HttpField> fields;
  std::optional<uint64_t> content_length;
  bool chunked = false;
  bool keep_alive = false;
  std::string body;

  std::string id;         // names it in answer and log
  std::string scope;      // whom it belongs to: equal for equal API keys
  std::string parameter;  // what stood for {id} in the route's pattern

  // Returns the first field of this (lower case) name, null when there is none.
  const std::string* Find(std::string_view name) const;
  // Returns its value, "" when there is none.
  std::string_view Field(std::string_view name) const;
  bool HasBody() const { return chunked || content_length.value_or(0) > 0; }
};

// One answer, or the head of a streamed one.
struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<HttpField> fields;
  std::string body;
  bool close = false;  // this connection takes no further request
};

// Returns "Not Found" for 404; "" for a status that is not used here.
std::string_view ReasonPhrase(int status);

// How the body of an answer is delimited.
enum class BodyFraming {
  kLength,   // Content-Length
  kChunked,  // HTTP/1.1 streams
  kClose,    // HTTP/1.0 streams
  kNone,     // no body at all: 204
};

// Returns status line and fields, ending with the empty line. `length` counts for kLength only.
std::string SerializeHead(const HttpResponse& response, BodyFraming framing, size_t length,
                          bool keep_alive);

// Returns `bytes` (not empty) as one chunk of a chunked body.
std::string SerializeChunk(std::string_view bytes);

// Returns `text` in lower case (ASCII).
std::string LowerCase(std::string_view text);

// Returns `text` without spaces and tabs at its ends.
std::string_view Trimmed(std::string_view text);

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_HTTP_MESSAGE_H_
