#ifndef OCELLI_ENGINE_SAMPLING_PARAMS_H_
#define OCELLI_ENGINE_SAMPLING_PARAMS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "checkpoint/generation_config.h"
#include "text/tokenizer.h"

namespace ocelli {

// The longest answer when a request names no bound: enough for a page of text, short enough that a
// forgotten bound does not hold a CPU for minutes.
inline constexpr size_t kDefaultMaxNewTokens = 512;

// The same of a model that reasons first: some pages of that, and the answer; more would take half
// a gigabyte of KV memory from a small machine.
inline constexpr size_t kThinkingMaxNewTokens = 2048;

inline constexpr size_t kMaxStopStrings = 4;
inline constexpr size_t kMaxStopStringBytes = 256;
inline constexpr size_t kMaxTopLogprobs = 20;
inline constexpr size_t kMaxChoices = 16;
inline constexpr size_t kMaxLogitBiases = 1024;

// How the next token is chosen. In this order (transformers' order of logits processors):
//   logit_bias: added                                                     (OpenAI)
//   repetition_penalty: positive logits of tokens seen in prompt or answer are divided by it,
//   negative
//     ones multiplied                                                     (transformers)
//   frequency_penalty * count + presence_penalty: taken from the logits of tokens of the answer
//   (OpenAI) temperature: logits are divided by it; 0 takes the largest logit, the lowest id among
//   equals top_k, top_p, min_p: each keeps the likeliest of what the one before kept, and at least
//   one token
// then one draw among the rest. Logprobs are those of the model itself, before all of this.
struct SamplingParams {
  float temperature = 0.0f;                           // 0 (greedy) .. 2
  uint32_t top_k = 0;                                 // keeps this many; 0: all
  float top_p = 1.0f;                                 // (0, 1]
  float min_p = 0.0f;                                 // [0, 1], relative to the likeliest token
  float repetition_penalty = 1.0f;                    // 0.01 .. 10
  float presence_penalty = 0.0f;                      // -2 .. 2
  float frequency_penalty = 0.0f;                     // -2 .. 2
  std::vector<std::pair<TokenId, float>> logit_bias;  // token id, -100 .. 100
  std::optional<uint64_t> seed;                       // unset: drawn from the operating system
  std::vector<std::string> stop;                      // never part of the answer
  size_t max_new_tokens = kDefaultMaxNewTokens;  // at least 1; clipped to what the context leaves
  bool ignore_eos = false;                       // the end-of-text tokens do not end the answer
  bool logprobs = false;                         // report each token's log probability
  size_t top_logprobs = 0;  // and those of this many likeliest tokens; needs `logprobs`
  size_t n = 1;             // independent answers to one prompt
  bool loop_guard = false;  // end an answer that repeats itself endlessly (see loop_guard.h)

  // **Errors**: kInvalidArgument naming the field, its value and the limit.
  Status Validate(size_t vocab_size) const;
};

// Returns what a request gets that names nothing: the values of a checkpoint's
// generation_config.json.
SamplingParams DefaultSamplingParams(const GenerationConfig& config);

}  // namespace ocelli

#endif  // OCELLI_ENGINE_SAMPLING_PARAMS_H_
