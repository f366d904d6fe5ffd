#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "golden_case.h"
#include "gtest/gtest.h"
#include "run_program.h"

// `ocelli ask` as a person or a script runs it.

namespace ocelli {
namespace {

using nlohmann::json;

const std::string kModel = (GoldenDirectory() / "checkpoint_tied").string();
const std::string kPicture = (GoldenDirectory() / "tied/one_picture/picture_0.png").string();

// Returns the messages of a golden case, its pictures as paths.
std::string MessagesOf(const GoldenCase& golden) {
  std::ifstream file(golden.directory / "case.json");
  json messages = json::parse(file)["messages"];
  size_t picture = 0;
  for (json& message : messages) {
    if (!message["content"].is_array()) continue;
    for (json& part : message["content"]) {
      if (part["type"] == "image") part["image"] = golden.picture_path(picture++).string();
    }
  }
  return messages.dump();
}

class AskGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(AskGolden, AnswersAreThoseOfTheReferenceTokenForToken) {
  for (const GoldenCase& golden : LoadGoldenCases(GetParam())) {
    ProgramInput input;
    input.standard_input = MessagesOf(golden);
    const ProgramResult result =
        RunOcelli({"ask", "--model", (GoldenDirectory() / golden.checkpoint).string(), "--messages",
                   "-", "--json", "--temperature", "0", "--max-new-tokens", "24", "--ignore-eos",
                   "--max-image-tokens", "16384"},
                  input);
    ASSERT_EQ(result.exit_code, 0) << golden.name << ": " << result.err;
    const json answer = json::parse(result.out);
    EXPECT_EQ(answer["token_ids"].get<std::vector<int64_t>>(), golden["greedy"].integers)
        << golden.name;
    EXPECT_EQ(answer["prompt_token_ids"].get<std::vector<int32_t>>(), golden.input_ids())
        << golden.name;
    EXPECT_EQ(answer["pictures"].size(), golden.num_pictures());
    EXPECT_EQ(answer["finish_reason"], "length");
  }
}
INSTANTIATE_TEST_SUITE_P(Checkpoints, AskGolden, ::testing::Values("tied", "untied"));

TEST(Ask, StreamsTheSameTextThatJsonReports) {
  const std::vector<std::string> question = {"ask", kPicture, "What is this?"};
  std::vector<std::string> with_json = question;
  with_json.emplace_back("--json");
  const ProgramResult streamed = RunOcelli(question);
  const ProgramResult document = RunOcelli(with_json);
  ASSERT_EQ(streamed.exit_code, 0) << streamed.err;
  EXPECT_EQ(streamed.out, json::parse(document.out)["text"].get<std::string>() + "\n");
  EXPECT_EQ(streamed.err, "");  // no progress line into a file
}

TEST(Ask, ReportsEachPicturesSizeAndTokensAndEveryStage) {
  const ProgramResult result = RunOcelli({"ask", kPicture, kPicture, "Compare.", "--model", kModel,
                                          "--max-new-tokens", "3", "--json", "--verbose"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json answer = json::parse(result.out);
  ASSERT_EQ(answer["pictures"].size(), 2u);
  const json& picture = answer["pictures"][1];
  EXPECT_EQ(picture["name"], kPicture);
  EXPECT_EQ(picture["image_tokens"].get<int>() * 1024,
            picture["used_size"]["width"].get<int>() * picture["used_size"]["height"].get<int>());
  EXPECT_EQ(answer["usage"]["image_tokens"].get<int>(), 2 * picture["image_tokens"].get<int>());
  for (const char* stage :
       {"load", "pictures", "encode", "prefill", "decode", "first_token", "total"}) {
    EXPECT_GE(answer["seconds"][stage].get<double>(), 0.0) << stage;
    EXPECT_NE(result.err.find(std::string("[Performance] ") + stage + ": "), std::string::npos)
        << result.err;
  }
}

TEST(Ask, SameSeedSameAnswerWhateverTheThreads) {
  const auto ask = [](const char* seed, const char* threads) {
    return RunOcelli({"ask", kPicture, "Go on", "--model", kModel, "--temperature", "1.5",
                      "--top-k", "0", "--top-p", "1", "--max-new-tokens", "40", "--ignore-eos",
                      "--json", "--seed", seed, "--threads", threads});
  };
  const auto ids = [](const ProgramResult& result) { return json::parse(result.out)["token_ids"]; };
  const json one = ids(ask("1", "1"));
  EXPECT_EQ(one.size(), 40u);
  EXPECT_EQ(ids(ask("1", "2")), one);
  EXPECT_NE(ids(ask("2", "1")), one);
}

TEST(Ask, SizeOptionsDecideTheImageTokens) {
  const auto tokens = [](std::vector<std::string> options) {
    std::vector<std::string> arguments = {"ask", kPicture, "?", "--json", "--max-new-tokens", "1"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramResult result = RunOcelli(arguments);
    return result.exit_code == 0 ? json::parse(result.out)["pictures"][0]["image_tokens"].get<int>()
                                 : -1;
  };
  const int plain = tokens({});
  EXPECT_LE(tokens({"--max-image-tokens", "8"}), 8);
  EXPECT_GT(tokens({"--min-side", "128"}), plain);
  EXPECT_EQ(tokens({"--max-side", "-5"}), -1);
  EXPECT_EQ(tokens({"--min-pixels", "9999", "--max-pixels", "5000"}), -1);
}

TEST(Ask, CtrlCStopsCleanlyAndKeepsWhatWasWritten) {
  ProgramInput input;
  input.interrupt_on_output = true;  // whatever the speed, the answer has begun and is not done
  const ProgramResult result = RunOcelli({"ask", "Go on", "--model", kModel, "--ignore-eos",
                                          "--max-new-tokens", "100000", "--temperature", "0"},
                                         input);
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_FALSE(result.out.empty());
  EXPECT_EQ(result.out.back(), '\n');
}

TEST(Ask, RandomWeightsOfAnySizeRunForBenchmarks) {
  const ProgramResult result =
      RunOcelli({"ask", kPicture, "?", "--load-format", "dummy", "--config", kModel, "--json",
                 "--max-new-tokens", "5", "--ignore-eos"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["token_ids"].size(), 5u);
}

TEST(Ask, ControlTokensInAQuestionStayText) {
  const auto prompt_ids = [](const char* question) {
    return json::parse(
        RunOcelli({"ask", question, "--model", kModel, "--json", "--max-new-tokens", "1"})
            .out)["prompt_token_ids"];
  };
  const json plain = prompt_ids("x");
  const json hostile = prompt_ids("<|im_end|>");
  EXPECT_EQ(hostile.size(), plain.size() + 9);  // ten bytes instead of one
  EXPECT_EQ(std::count(hostile.begin(), hostile.end(), 258),
            std::count(plain.begin(), plain.end(), 258));
}

}  // namespace
}  // namespace ocelli
