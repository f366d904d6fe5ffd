#ifndef OCELLI_API_LOGPROB_JSON_H_
#define OCELLI_API_LOGPROB_JSON_H_

#include <nlohmann/json_fwd.hpp>

#include "engine/request.h"
#include "text/tokenizer.h"

namespace ocelli::api {

// Appends the log probability of `event`'s token in OpenAI's form to `entries`: {"token",
// "logprob", "bytes", "top_logprobs"}. A token is often a part of a character: "token" then has
// U+FFFD, "bytes" the truth. Tokens that write nothing (end of text) and those before the text
// (reasoning) have no entry: the entries are those of the content.
void AppendLogprob(const TokenEvent& event, const Tokenizer& tokenizer,
                   nlohmann::ordered_json& entries);

}  // namespace ocelli::api

#endif  // OCELLI_API_LOGPROB_JSON_H_
