#include "server/body_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace ocelli::server {
namespace {

// Taken of memory on the word of a Content-Length alone.
constexpr size_t kTrustedBytes = size_t{1} << 20;
constexpr size_t kMaxLineBytes = 1024;     // size and extensions of a chunk, or one trailer
constexpr size_t kMaxTrailerBytes = 8192;  // of all trailers

}  // namespace

void BodyReader::Begin(const HttpRequest& request) {
  if (request.chunked) {
    state_ = State::kChunkSize;
    return;
  }
  remaining_ = request.content_length.value_or(0);
  if (remaining_ == 0) return;
  state_ = State::kBytes;
  if (remaining_ > limits_.max_bytes) return FailTooLarge();
  body_.reserve(std::min(kTrustedBytes, static_cast<size_t>(remaining_)));
}

size_t BodyReader::Put(std::string_view input) {
  size_t used = 0;
  while (!done() && !fault_ && used < input.size()) {
    const std::string_view rest = input.substr(used);
    const size_t step = state_ == State::kBytes        ? PutBytes(rest, State::kDone)
                        : state_ == State::kChunkBytes ? PutBytes(rest, State::kChunkEnd)
                                                       : PutLine(rest);
    if (step == 0) break;
    used += step;
  }
  return used;
}

size_t BodyReader::PutBytes(std::string_view input, State next) {
  const size_t count = static_cast<size_t>(std::min<uint64_t>(remaining_, input.size()));
  if (!share_.Take(count)) {
    Fail(503,
         fmt::format("the bodies of all requests together would take more than {} bytes, which is "
                     "the limit: try again later",
                     limits_.budget->limit_bytes()),
         "server_busy");
    return 0;
  }
  body_.append(input.data(), count);
  remaining_ -= count;
  if (remaining_ == 0) state_ = next;
  return count;
}

size_t BodyReader::PutLine(std::string_view input) {
  const size_t end = input.substr(0, kMaxLineBytes).find_first_of("\r\n");
  if (end == std::string_view::npos) {
    if (input.size() >= kMaxLineBytes)
      Fail(400, "a line between the chunks of the body is too long");
    return 0;
  }
  // A proxy before this server may take a lone one for a line end or not: no guessing.
  if (input[end] == '\n' || (end + 1 < input.size() && input[end + 1] != '\n')) {
    Fail(400, "a line between the chunks of the body does not end in CR LF");
    return 0;
  }
  if (end + 1 == input.size()) return 0;
  TakeLine(input.substr(0, end));
  return end + 2;
}

void BodyReader::TakeLine(std::string_view line) {
  if (state_ == State::kChunkSize) return BeginChunk(line);
  if (state_ == State::kChunkEnd) {
    if (!line.empty()) return Fail(400, "a chunk of the body is longer than its size says");
    state_ = State::kChunkSize;
    return;
  }
  trailer_bytes_ += line.size();
  if (trailer_bytes_ > kMaxTrailerBytes) return Fail(431, "the trailers of the body are too long");
  if (line.empty()) state_ = State::kDone;
}

void BodyReader::BeginChunk(std::string_view line) {
  const std::string_view digits = Trimmed(line.substr(0, line.find(';')));
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, remaining_, 16);
  if (error == std::errc::result_out_of_range) return FailTooLarge();
  if (error != std::errc() || stop != end) {
    return Fail(400, "the size of a chunk of the body is not a hexadecimal number");
  }
  if (remaining_ > limits_.max_bytes - body_.size()) return FailTooLarge();
  state_ = remaining_ == 0 ? State::kTrailer : State::kChunkBytes;
}

void BodyReader::Fail(int status, std::string message, std::string code) {
  fault_ = HttpFault{status, std::move(message), std::move(code)};
}

void BodyReader::FailTooLarge() {
  Fail(413,
       fmt::format("the body has more than {} bytes, which is the limit: send smaller pictures",
                   limits_.max_bytes),
       "body_too_large");
}

}  // namespace ocelli::server
