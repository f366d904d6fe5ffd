#ifndef OCELLI_ENGINE_REQUEST_H_
#define OCELLI_ENGINE_REQUEST_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "engine/sampling_params.h"
#include "picture/patches.h"
#include "text/tokenizer.h"

namespace ocelli {

// One prompt to answer.
struct GenerateRequest {
  std::string name;                       // for log lines; without it none
  std::vector<TokenId> prompt_token_ids;  // each picture as its `image_tokens` image tokens
  std::vector<std::shared_ptr<const Patches>> pictures;  // in the order of the prompt
  SamplingParams params;
  std::optional<std::chrono::steady_clock::time_point>
      deadline;  // the answer ends here at the latest
  // Set when the prompt ends inside reasoning, as that of a Thinking model does: the answer goes on
  // with it up to this token.
  std::optional<TokenId> reasoning_end_token_id;
};

enum class FinishReason {
  kStop,       // end-of-text token or stop string
  kLength,     // max_new_tokens or the end of the context
  kCancelled,  // Cancel or Stop
  kDeadline,   // the request's deadline passed
  kLoop,       // the loop guard found endless repetition
  kError,      // this request failed; others go on
};
// Returns "stop", "length", "cancelled", "deadline", "loop" or "error".
std::string_view FinishReasonName(FinishReason reason);

// What a request used, over all its choices.
struct Usage {
  size_t prompt_tokens = 0;  // with image tokens
  size_t image_tokens = 0;
  size_t cached_tokens = 0;      // prompt tokens whose KV came from the prefix cache
  size_t completion_tokens = 0;  // end-of-text tokens included
  size_t reasoning_tokens = 0;   // of these, before the text began
  size_t pictures_encoded = 0;   // the others were in a cache
};

// Where the time went. **Units**: seconds.
struct StageTimes {
  double queued = 0;       // submitted -> first work
  double encoding = 0;     // inside the vision encoder, for this request
  double prefill = 0;      // first work -> first token, without `encoding`
  double decode = 0;       // first token -> end
  double first_token = 0;  // submitted -> first token
  double total = 0;        // submitted -> end
};

struct TokenLogprob {
  TokenId token_id = 0;
  float logprob = 0;
};

// Waiting for a place; 0 is next. Sent when the request is accepted and when its place changes.
struct QueuedEvent {
  size_t position = 0;
};
// `layer` of `num_layers` of the vision encoder are done for picture `picture` of the prompt.
struct EncodingEvent {
  size_t picture = 0;
  size_t num_pictures = 0;
  size_t layer = 0;
  size_t num_layers = 0;
};
// `done_tokens` of `total_tokens` of the prompt are read.
struct PrefillEvent {
  size_t done_tokens = 0;
  size_t total_tokens = 0;
};
// One more token of an answer. `text` is what can be shown now: whole characters, nothing that may
// still become a stop string; it is often empty and joins to the answer.
struct TokenEvent {
  size_t choice = 0;
  TokenId token_id = 0;
  std::string text;
  std::optional<TokenLogprob> logprob;     // of this token; with params.logprobs
  std::vector<TokenLogprob> top_logprobs;  // likeliest first
  std::string reasoning{};                 // of a Thinking model, in place of text, before it
  bool is_reasoning = false;               // no part of the text, nor in its log probabilities
};
// An answer is complete. `text` was held back and belongs to it.
struct ChoiceEvent {
  size_t choice = 0;
  FinishReason reason = FinishReason::kStop;
  std::string text;
  std::optional<size_t>
      loop_start_token;     // kLoop: where the second copy of the repeated part begins
  std::string reasoning{};  // held back too
};
// Always the last event, sent once: every choice has ended.
struct FinishedEvent {
  // kCancelled, kDeadline or kError when that ended the request, otherwise that of choice 0.
  FinishReason reason = FinishReason::kStop;
  std::optional<Error> error;  // kError: what happened
  Usage usage;
  StageTimes times;
};
using Event =
    std::variant<QueuedEvent, EncodingEvent, PrefillEvent, TokenEvent, ChoiceEvent, FinishedEvent>;

// Receives a request's events in order. **Threads**: called on the engine thread, where every other
// request waits for it: it must hand the event on (post it, push it to a queue) and return at once,
// and must not call the engine.
using EventSink = std::function<void(Event)>;

}  // namespace ocelli

#endif  // OCELLI_ENGINE_REQUEST_H_
