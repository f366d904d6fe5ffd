#ifndef OCELLI_TEXT_TESTING_H_
#define OCELLI_TEXT_TESTING_H_

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace ocelli::testing {

// Returns the file at `relative` to tests/golden/data.
std::filesystem::path GoldenPath(std::string_view relative);

// Returns the JSON values of a golden file, one a line.
std::vector<nlohmann::json> ReadGoldenLines(std::string_view relative);

// Returns the JSON value of a golden file, the order of its keys kept.
nlohmann::ordered_json ReadGoldenJson(std::string_view relative);

// Returns the tokenizer with the published Qwen3 vocabulary, loaded once. Ends the test program
// with a sentence that says what to do when the development dependency is not installed.
const Tokenizer& PublishedTokenizer();

// Returns the tokenizer of the golden checkpoints: no merges, so that token i < 256 is byte i.
const Tokenizer& ByteTokenizer();

// Returns a tokenizer.json, as a value to be spoilt: the 256 bytes with their own ids, "ab" (300),
// "abc" (301), and the control tokens <|im_end|> (302, special) and <tool_call> (303).
nlohmann::json SmallTokenizerJson();

// Reads messages of the OpenAI form, pictures without their pixels.
std::vector<ChatMessage> ReadMessages(const nlohmann::ordered_json& messages);

// Returns a text of `num_characters` from many scripts, marks, emoji parts and controls.
std::string RandomText(std::mt19937& rng, size_t num_characters);

}  // namespace ocelli::testing

#endif  // OCELLI_TEXT_TESTING_H_
