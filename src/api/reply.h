#ifndef OCELLI_API_REPLY_H_
#define OCELLI_API_REPLY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/request.h"
#include "picture/enhance.h"
#include "picture/rgb_image.h"
#include "text/tokenizer.h"

namespace ocelli::api {

// How one picture of a call was used, as `usage` reports it.
struct PictureUse {
  SizePx original_size;
  SizePx used_size;
  size_t image_tokens = 0;
  std::shared_ptr<const EnhanceFacts> enhanced{};  // null: not asked for
};

// Returns how a picture was used.
PictureUse PictureUseOf(const Patches& picture);

// Returns the use of each picture of `request`, for ReplyContext::pictures.
std::vector<PictureUse> PictureUsesOf(const GenerateRequest& request);

// What the parts of a reply have in common.
struct ReplyContext {
  std::string id;       // "chatcmpl-...", "resp_..."
  int64_t created = 0;  // Unix time, seconds
  std::string model;    // the name that this server answers to
  std::string system_fingerprint;
  std::vector<PictureUse> pictures;
  std::shared_ptr<const Tokenizer> tokenizer;  // for the text of tokens in logprobs
};

// Turns the events of one request into the bytes of one endpoint's answer, streamed or whole: a
// caller uses either Start/Stream/Fail or Collect/Whole. **Threads**: one caller.
class Reply {
 public:
  virtual ~Reply() = default;

  // Streaming. Each returns complete server-sent events, ready to be sent; "" when there is nothing
  // to send. The last event's text ends the stream ("data: [DONE]" where the endpoint has it).
  virtual std::string Start() = 0;
  virtual std::string Stream(const Event& event) = 0;
  // Ends a stream that already began with an error event; no [DONE] follows.
  virtual std::string Fail(const Error& error) = 0;

  // Not streaming. Collect takes every event; Whole returns the JSON body once FinishedEvent came,
  // or the error when that ended the request.
  virtual void Collect(const Event& event) = 0;
  virtual Result<std::string> Whole() const = 0;
};

}  // namespace ocelli::api

#endif  // OCELLI_API_REPLY_H_
