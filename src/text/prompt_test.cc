#include "text/prompt.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "text/chat_template.h"
#include "text/testing.h"

namespace ocelli {
namespace {

using testing::ByteTokenizer;
using ::testing::ElementsAre;

// Reads an integer tensor of a safetensors file.
std::vector<int64_t> ReadIntegers(const std::filesystem::path& path, const std::string& name) {
  std::ifstream file(path, std::ios::binary);
  uint64_t header_size = 0;
  file.read(reinterpret_cast<char*>(&header_size), sizeof(header_size));
  std::string header(header_size, '\0');
  file.read(header.data(), static_cast<std::streamsize>(header_size));
  const nlohmann::json tensor = nlohmann::json::parse(header).at(name);
  EXPECT_EQ(tensor.at("dtype"), "I64");
  const auto offsets = tensor.at("data_offsets").get<std::vector<uint64_t>>();
  std::vector<int64_t> values((offsets[1] - offsets[0]) / sizeof(int64_t));
  file.seekg(static_cast<std::streamoff>(sizeof(header_size) + header_size + offsets[0]));
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(int64_t)));
  return values;
}

// Returns the image tokens of each picture: its patches over the 2x2 merge.
std::vector<size_t> ImageTokens(const std::filesystem::path& expected, const Prompt& prompt) {
  std::vector<size_t> tokens;
  if (prompt.num_pictures() == 0) return tokens;
  const std::vector<int64_t> grids = ReadIntegers(expected, "image_grid_thw");
  for (size_t i = 0; i + 2 < grids.size(); i += 3) {
    tokens.push_back(static_cast<size_t>(grids[i] * grids[i + 1] * grids[i + 2] / 4));
  }
  return tokens;
}

void ExpectGoldenIds(const std::filesystem::path& directory) {
  SCOPED_TRACE(directory.string());
  std::ifstream file(directory / "case.json");
  const auto golden = nlohmann::ordered_json::parse(file);
  const Result<Prompt> prompt = ApplyChatTemplate(testing::ReadMessages(golden.at("messages")), {});
  ASSERT_TRUE(prompt.ok()) << prompt.error().message;
  EXPECT_EQ(Render(*prompt), golden.at("prompt").get<std::string>());
  const std::filesystem::path expected = directory / "expected.safetensors";
  const std::vector<size_t> image_tokens = ImageTokens(expected, *prompt);
  const Result<TokenizedPrompt> tokens = TokenizePrompt(ByteTokenizer(), *prompt, image_tokens);
  ASSERT_TRUE(tokens.ok()) << tokens.error().message;
  const std::vector<int64_t> ids(tokens->ids.begin(), tokens->ids.end());
  EXPECT_EQ(ids, ReadIntegers(expected, "input_ids"));
}

TEST(TokenizePrompt, EqualsTheInputIdsOfEveryGoldenCase) {
  int num_cases = 0;
  for (const char* checkpoint : {"tied", "untied"}) {
    for (const auto& entry : std::filesystem::directory_iterator(testing::GoldenPath(checkpoint))) {
      ExpectGoldenIds(entry.path());
      ++num_cases;
    }
  }
  EXPECT_EQ(num_cases, 16);
}

TEST(Prompt, NeighbouringTextIsOneRun) {
  Prompt prompt;
  prompt.AddText("wor");
  prompt.AddText("");
  prompt.AddText("ld");
  prompt.AddControl("<|im_end|>");
  prompt.AddText("x");
  EXPECT_THAT(prompt.pieces(),
              ElementsAre(PromptPiece(PromptText{"world"}),
                          PromptPiece(PromptControl{"<|im_end|>"}), PromptPiece(PromptText{"x"})));
}

TEST(TokenizePrompt, RepeatsThePadAndSaysWhereEachPictureStarts) {
  Prompt prompt;
  prompt.AddText("a");
  prompt.AddPicture();
  prompt.AddPicture();
  EXPECT_EQ(
      Render(prompt),
      "a<|vision_start|><|image_pad|><|vision_end|><|vision_start|><|image_pad|><|vision_end|>");
  const Result<TokenizedPrompt> tokens =
      TokenizePrompt(ByteTokenizer(), prompt, std::vector<size_t>{3, 1});
  const TokenId start = *ByteTokenizer().ControlToken("<|vision_start|>");
  const TokenId pad = *ByteTokenizer().ControlToken("<|image_pad|>");
  const TokenId end = *ByteTokenizer().ControlToken("<|vision_end|>");
  EXPECT_THAT(tokens->ids, ElementsAre('a', start, pad, pad, pad, end, start, pad, end));
  EXPECT_THAT(tokens->picture_starts, ElementsAre(2, 7));
}

TEST(TokenizePrompt, RefusesPicturesThatDoNotMatch) {
  Prompt prompt;
  prompt.AddPicture();
  const auto error = [&](std::vector<size_t> image_tokens) {
    return TokenizePrompt(ByteTokenizer(), prompt, image_tokens).error();
  };
  EXPECT_EQ(error({}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error({1, 1}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error({0}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error({SIZE_MAX}).code, ErrorCode::kTooLarge);
}

TEST(TokenizePrompt, RefusesControlTokensThatTheModelLacks) {
  Prompt prompt;
  prompt.AddControl("<|no_such|>");
  const Result<TokenizedPrompt> tokens = TokenizePrompt(ByteTokenizer(), prompt, {});
  EXPECT_EQ(tokens.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(tokens.error().message.find("<|no_such|>"), std::string::npos);
}

}  // namespace
}  // namespace ocelli
