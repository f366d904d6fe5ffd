#ifndef OCELLI_SERVER_BODY_READER_H_
#define OCELLI_SERVER_BODY_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/byte_budget.h"
#include "server/http_fault.h"
#include "server/http_message.h"

namespace ocelli::server {

// The most bytes of one body, and of all bodies at the same time.
struct BodyLimits {
  size_t max_bytes = 0;
  std::shared_ptr<ByteBudget> budget;
};

// Collects the body of one request, of known length or in chunks. Nothing is taken on the word of
// a length alone but a little; trailers are skipped. **Threads**: one. **Ref**: RFC 9112.
class BodyReader {
 public:
  explicit BodyReader(BodyLimits limits) : limits_(std::move(limits)), share_(limits_.budget) {}

  // Says whether the body that the head of `request` announces may come. Call it first.
  void Begin(const HttpRequest& request);

  // Reads what it can of `input`; returns how many bytes are done with. What is left is the
  // beginning of a line that is not complete, or comes after the body.
  size_t Put(std::string_view input);

  bool done() const { return state_ == State::kDone; }
  const std::optional<HttpFault>& fault() const { return fault_; }
  // Valid after done(); once each. The share is what the body takes of the budget.
  std::string TakeBody() { return std::move(body_); }
  ByteShare TakeShare() { return std::move(share_); }

 private:
  enum class State { kBytes, kChunkSize, kChunkBytes, kChunkEnd, kTrailer, kDone };

  size_t PutBytes(std::string_view input, State next);
  size_t PutLine(std::string_view input);
  void TakeLine(std::string_view line);
  void BeginChunk(std::string_view line);
  void Fail(int status, std::string message, std::string code = "");
  void FailTooLarge();

  const BodyLimits limits_;
  ByteShare share_;
  std::string body_;
  State state_ = State::kDone;
  uint64_t remaining_ = 0;  // bytes of the body or of this chunk
  size_t trailer_bytes_ = 0;
  std::optional<HttpFault> fault_;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_BODY_READER_H_
