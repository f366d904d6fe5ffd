#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/test_directory.h"
#include "golden_case.h"
#include "gtest/gtest.h"
#include "run_program.h"

// A Thinking variant, as a person runs it: a golden checkpoint under such a template. Its made-up
// weights never end their reasoning.

namespace ocelli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Thinking : public ::testing::Test {
 protected:
  Thinking() {
    fs::copy(GoldenDirectory() / "checkpoint_tied", model());
    directory_.Write("model/chat_template.jinja",
                     "{%- for m in messages %}<|im_start|>{{ m.role }}<|vision_start|><|image_pad|>"
                     "<|vision_end|>{{ m.content }}<|im_end|>{%- endfor %}"
                     "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n<think>\\n' }}"
                     "{%- endif %}");
  }

  std::string model() const { return (directory_.path() / "model").string(); }

  ProgramResult Ask(std::vector<std::string> options) const {
    std::vector<std::string> arguments = {"ask",           "hello", "--model",          model(),
                                          "--temperature", "0",     "--max-new-tokens", "8"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return RunOcelli(arguments);
  }

  testing::TestDirectory directory_;
};

TEST_F(Thinking, ThePromptOpensReasoningAndTheDocumentHasIt) {
  const ProgramResult result = Ask({"--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json answer = json::parse(result.out);
  const auto prompt = answer["prompt_token_ids"].get<std::vector<int>>();
  EXPECT_EQ(std::vector<int>(prompt.end() - 2, prompt.end()), (std::vector<int>{280, '\n'}));
  EXPECT_EQ(answer["text"], "");
  EXPECT_NE(answer["reasoning_content"], "");
  EXPECT_EQ(answer["usage"]["reasoning_tokens"], 8);
}

TEST_F(Thinking, StandardOutputHasTheAnswerAlone) {
  const ProgramResult quiet = Ask({});
  EXPECT_EQ(quiet.exit_code, 0);
  EXPECT_EQ(quiet.out, "");
  EXPECT_EQ(quiet.err,
            "(cut off inside its reasoning, after 8 tokens; --max-new-tokens sets the bound)\n");
  const ProgramResult shown = Ask({"--show-reasoning"});
  EXPECT_EQ(shown.out, "");
  EXPECT_GT(shown.err.size(), quiet.err.size());
  EXPECT_TRUE(shown.err.ends_with(quiet.err)) << shown.err;
}

TEST_F(Thinking, InspectSaysSo) {
  const ProgramResult result = RunOcelli({"inspect", model()});
  EXPECT_NE(result.out.find("Thinking model"), std::string::npos) << result.out << result.err;
}

TEST_F(Thinking, FilesOfTwoModelsAreRefused) {
  std::ifstream file(fs::path(model()) / "tokenizer.json");
  json tokenizer = json::parse(file);
  for (json& token : tokenizer["added_tokens"]) {
    if (token["content"] == "</think>") token["content"] = "</other>";
  }
  directory_.Write("model/tokenizer.json", tokenizer.dump());
  const ProgramResult result = Ask({});
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("has no token </think>"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace ocelli
