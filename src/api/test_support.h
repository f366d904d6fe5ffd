#ifndef OCELLI_API_TEST_SUPPORT_H_
#define OCELLI_API_TEST_SUPPORT_H_

// What the tests of this room share.

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/reply.h"
#include "api/request_defaults.h"
#include "text/tokenizer.h"

namespace ocelli::api {

using TestJson = nlohmann::ordered_json;

// The tokenizer of the golden checkpoints: token id i < 256 is byte i.
std::shared_ptr<const Tokenizer> TestTokenizer();

// Defaults with a vocabulary of 300 and a context of 1,000 tokens.
RequestDefaults TestDefaults();

// A context with id "id-1", created 1700000000, model "m" and fingerprint "fp".
ReplyContext TestContext();

// A token of a Thinking model's reasoning.
TokenEvent ReasoningToken(TokenId id, std::string text);

// One server-sent event as a reader of the standard sees it. Comments are events without data.
struct SseMessage {
  std::string name;
  std::string data;
  std::string comment;
};

// Splits a stream, and checks that each line is whole and UTF-8.
std::vector<SseMessage> ReadSse(std::string_view stream);

// Parses a text that must be JSON.
TestJson MustParse(std::string_view text);

// Returns "code param | message" of an error, "ok" for a value.
template <typename T>
std::string Verdict(const Result<T>& result) {
  if (result.ok()) return "ok";
  const Error& error = result.error();
  return std::string(ErrorCodeName(error.code)) + " " + error.param + " | " + error.message;
}

}  // namespace ocelli::api

#endif  // OCELLI_API_TEST_SUPPORT_H_
