// Feeds damaged requests to every parser of this room: none may crash, and each refusal must have a
// body that is JSON. The sanitizer builds make faults of memory visible.

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "api/base64.h"
#include "api/chat_request.h"
#include "api/data_url.h"
#include "api/error_table.h"
#include "api/multipart.h"
#include "api/percent_encoding.h"
#include "api/predict.h"
#include "api/responses_request.h"
#include "api/test_support.h"
#include "api/tokenize.h"
#include "gtest/gtest.h"
#include "text/utf8.h"

namespace ocelli::api {
namespace {

constexpr size_t kDecodeLimitBytes = 1000;
constexpr std::string_view kFormType = "multipart/form-data; boundary=XX";

const std::vector<std::string>& Seeds() {
  static const auto* const kSeeds = new std::vector<std::string>{
      R"({"model": "Qwen3-VL-2B-Instruct", "messages": [{"role": "user", "content": [{"type":
      "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo=", "detail": "low",
      "min_pixels": 1, "max_pixels": 99, "uuid": "u"}}, {"type": "text", "text": "é你😀\u0000"}]},
      {"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "f",
      "arguments": {"a": [1, 2.5e3, true]}}}]}, {"role": "tool", "content": "x"}], "stream": true,
      "stream_options": {"include_usage": true}, "max_tokens": 5, "temperature": 0.5, "seed": -1,
      "stop": ["a", "b"], "logit_bias": {"5": 1}, "logprobs": true, "top_logprobs": 2, "n": 2,
      "chat_template_kwargs": {"add_vision_id": true}, "response_format": {"type": "text"}})",
      R"({"input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text":
      "q"}, {"type": "input_image", "image_url": "data:;base64,AAAA"}]}, {"type": "function_call",
      "name": "f", "arguments": "{}"}, {"type": "function_call_output", "output": "o"}],
      "instructions": "I", "metadata": {"a": "b"}, "reasoning": {"effort": "low"}, "include":
      ["message.output_text.logprobs"], "text": {"format": {"type": "text"}}, "top_logprobs": 1})",
      R"({"question": "q", "pictures": ["data:image/png;base64,AAAA", {"url": "x", "uuid": "u"}],
      "max_new_tokens": 5, "detail": "high", "timeout_seconds": 5})",
      R"({"prompt": "some text", "return_token_strs": true})",
      "--XX\r\nContent-Disposition: form-data; name=\"picture\"; filename=\"a\\\"b.png\"\r\n"
      "Content-Type: image/png\r\n\r\n\x89PNG\r\n--XX\r\nContent-Disposition: form-data; "
      "name=question\r\n\r\nwhat?\r\n--XX\r\nContent-Disposition: form-data; name=n\r\n\r\n1\r\n"
      "--XX--\r\n",
      "data:image/png;name=a;base64,iVBORw0KGgo%3D\r\n-_+/==",
  };
  return *kSeeds;
}

// Pieces that mean something to one parser or another.
constexpr std::string_view kPieces[] = {"\"",       "\\",
                                        "{",        "}",
                                        "[",        "]",
                                        ",",        ":",
                                        "null",     "true",
                                        "-",        "1e999",
                                        "0x",       "\\ud800",
                                        "\\u0000",  "\r\n",
                                        "\r\n\r\n", "--XX",
                                        "--XX--",   "\r\n--XX",
                                        ";",        "=",
                                        "%",        "%4",
                                        "\xFF",     "\xED\xA0\x80",
                                        "\xC0\xAF", "\xEF\xBB\xBF",
                                        "name=\"",  "18446744073709551616",
                                        "-0.0"};

// Returns `text` after one to eight small damages.
std::string Damaged(std::string text, std::mt19937& random) {
  const auto below = [&random](size_t limit) {
    return limit == 0 ? 0 : std::uniform_int_distribution<size_t>(0, limit - 1)(random);
  };
  for (size_t damages = 1 + below(8); damages > 0; --damages) {
    const size_t at = below(text.size() + 1);
    const size_t length = below(text.size() - at + 1) % 40;
    switch (below(5)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kPieces[below(std::size(kPieces))]);
        break;
      case 2:
        text.insert(below(text.size() + 1), text.substr(at, length));
        break;
      case 3:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      default:
        text.resize(below(8) == 0 ? at : text.size());
    }
  }
  return text;
}

template <typename T>
void ExpectPoliteRefusal(const Result<T>& result) {
  if (result.ok()) return;
  const ErrorResponse response = ErrorResponseOf(result.error());
  EXPECT_TRUE(response.status == 400 || response.status == 413 || response.status == 404)
      << response.body;
  EXPECT_TRUE(IsValidUtf8(response.body));
  EXPECT_TRUE(TestJson::accept(response.body)) << response.body;
  EXPECT_LT(response.body.size(), 6000u);
}

void FeedAllParsers(const std::string& text) {
  const RequestDefaults defaults = TestDefaults();
  ExpectPoliteRefusal(ParseChatRequest(text, defaults));
  ExpectPoliteRefusal(ParseResponsesRequest(text, defaults));
  ExpectPoliteRefusal(ParseTokenizeRequest(text, defaults));
  ExpectPoliteRefusal(ParsePredictRequest("application/json", text, defaults));
  ExpectPoliteRefusal(ParsePredictRequest(kFormType, text, defaults));
  ExpectPoliteRefusal(ParsePredictRequest("multipart/form-data;" + text, text, defaults));
  ExpectPoliteRefusal(ParseMultipartForm(text, text));
  const auto bytes = DecodeBase64(text, kDecodeLimitBytes);
  EXPECT_TRUE(!bytes.ok() || bytes->size() <= kDecodeLimitBytes);
  ExpectPoliteRefusal(bytes);
  ExpectPoliteRefusal(DecodeDataUrl(text, kDecodeLimitBytes));
  ExpectPoliteRefusal(DecodeDataUrl("data:;base64," + text, kDecodeLimitBytes));
  EXPECT_LE(PercentDecoded(text).size(), text.size());
}

TEST(HostileInput, TheSeedsThemselvesAreGoodRequests) {
  const RequestDefaults defaults = TestDefaults();
  EXPECT_EQ(Verdict(ParseChatRequest(Seeds()[0], defaults)), "ok");
  EXPECT_EQ(Verdict(ParseResponsesRequest(Seeds()[1], defaults)), "ok");
  EXPECT_EQ(Verdict(ParsePredictRequest("", Seeds()[2], defaults)), "ok");
  EXPECT_EQ(Verdict(ParseTokenizeRequest(Seeds()[3], defaults)), "ok");
  EXPECT_EQ(Verdict(ParsePredictRequest(kFormType, Seeds()[4], defaults)), "ok");
}

TEST(HostileInput, DamagedRequestsAreAnsweredOrRefusedPolitely) {
  std::mt19937 random(20'260'101);
  for (int round = 0; round < 2000; ++round) {
    const std::string& seed = Seeds()[static_cast<size_t>(round) % Seeds().size()];
    FeedAllParsers(Damaged(seed, random));
    if (HasFailure()) FAIL() << "in round " << round;
  }
}

TEST(HostileInput, RandomBytesAreRefusedPolitely) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::string bytes(random() % 300, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    FeedAllParsers(bytes);
    if (HasFailure()) FAIL() << "in round " << round;
  }
}

TEST(HostileInput, LargeHostileBodiesAreRefusedQuicklyAndWithoutMuchMemory) {
  const size_t size = size_t{1} << 20;
  std::string lists;
  while (lists.size() < size) lists += "[],";
  std::string keys = "{\"a\":{";
  for (int i = 0; keys.size() < size; ++i) keys += "\"" + std::to_string(i) + "\":0,";
  std::string boundaries;
  while (boundaries.size() < size) boundaries += "\r\n--X";
  for (const std::string& text :
       {std::string(size, '['), std::string(size, '"'), "{\"messages\":[" + lists + "1]}",
        keys + "\"z\":0}}", boundaries, std::string(size, '\\'), std::string(size, '%')}) {
    FeedAllParsers(text);
  }
}

}  // namespace
}  // namespace ocelli::api
