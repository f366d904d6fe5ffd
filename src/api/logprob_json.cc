#include "api/logprob_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/json_number.h"
#include "text/utf8.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity; this is what OpenAI sends for "never".
constexpr float kLeastLogprob = -9999.0f;

Json Entry(const TokenLogprob& logprob, const Tokenizer& tokenizer) {
  const std::string_view text = tokenizer.Bytes(logprob.token_id);
  Json bytes = Json::array();
  for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
  return Json{{"token", ReplaceInvalidUtf8(text)},
              {"logprob", ShortestDouble(std::max(logprob.logprob, kLeastLogprob))},
              {"bytes", std::move(bytes)}};
}

}  // namespace

void AppendLogprob(const TokenEvent& event, const Tokenizer& tokenizer, Json& entries) {
  if (!event.logprob || event.is_reasoning || tokenizer.IsSpecial(event.token_id)) return;
  Json entry = Entry(*event.logprob, tokenizer);
  entry["top_logprobs"] = Json::array();
  for (const TokenLogprob& top : event.top_logprobs) {
    entry["top_logprobs"].push_back(Entry(top, tokenizer));
  }
  entries.push_back(std::move(entry));
}

}  // namespace ocelli::api
