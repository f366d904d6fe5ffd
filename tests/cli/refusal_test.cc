#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/test_directory.h"
#include "golden_case.h"
#include "gtest/gtest.h"
#include "run_program.h"

// What the program says to bad input: one line on stderr, the right exit code, in under a second.

namespace ocelli {
namespace {

namespace fs = std::filesystem;

class Refusal : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& content) {
    return directory_.Write(name, content).string();
  }
  // Returns a copy of the tied golden checkpoint in which `name` holds `content`.
  std::string SpoiltCheckpoint(const std::string& name, const std::string& content) {
    const fs::path copy = directory_.path() / "model";
    fs::copy(GoldenDirectory() / "checkpoint_tied", copy, fs::copy_options::recursive);
    std::ofstream(copy / name, std::ios::binary | std::ios::trunc) << content;
    return copy.string();
  }

  // Returns a copy of the tied golden checkpoint whose every answer is NaN.
  std::string CheckpointWithoutNumbers() {
    const fs::path copy = directory_.path() / "nan";
    fs::copy(GoldenDirectory() / "checkpoint_tied", copy, fs::copy_options::recursive);
    std::fstream file(copy / "model.safetensors", std::ios::in | std::ios::out | std::ios::binary);
    uint64_t header_bytes = 0;
    file.read(reinterpret_cast<char*>(&header_bytes), sizeof(header_bytes));
    std::string header(header_bytes, '\0');
    file.read(header.data(), static_cast<std::streamsize>(header.size()));
    const nlohmann::json tensors = nlohmann::json::parse(header);
    const auto begin = tensors.at("model.language_model.norm.weight")["data_offsets"][0];
    file.seekp(static_cast<std::streamoff>(sizeof(header_bytes) + header_bytes) +
               begin.get<std::streamoff>());
    file.write("\xc0\x7f", 2);  // bf16
    return copy.string();
  }

  void Expect(const std::vector<std::string>& arguments, int exit_code, const std::string& words,
              const std::string& standard_input = "") {
    ProgramInput input;
    input.standard_input = standard_input;
    const ProgramResult result = RunOcelli(arguments, input);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos)
        << "wanted '" << words << "' in: " << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_TRUE(result.err.starts_with("ocelli: ")) << result.err;
    EXPECT_LT(result.err.size(), 4100u);
  }

  const std::string picture_ = (GoldenDirectory() / "tied/one_picture/picture_0.png").string();
  const testing::TestDirectory directory_;
};

TEST_F(Refusal, Usage) {
  Expect({"ask"}, 2, "nothing to ask");
  Expect({"ask", picture_}, 2, "no question follows it");
  Expect({"ask", picture_, "?", "--messages", "x.json"}, 2, "not both");
  Expect({"ask", "?", "--temperature", "-1"}, 2, "temperature");
  Expect({"ask", "?", "--top-p", "7"}, 2, "top_p");
  Expect({"ask", "?", "--max-new-tokens", "0"}, 2, "max_new_tokens");
  Expect({"ask", "?", "--threads", "0"}, 2, "threads");
  Expect({"ask", "?", "--load-format", "dummy"}, 2, "--config");
  Expect({"ask", "?", "--no-such-option"}, 2, "no-such-option");
  Expect({}, 2, "subcommand");
}

TEST_F(Refusal, AnAnswerThatFailsIsSaidOnce) {
  Expect({"ask", "?", "--model", CheckpointWithoutNumbers()}, 1, "not a finite number");
}

TEST_F(Refusal, APictureByUuidAlone) {
  Expect({"ask", "--messages", "-"}, 2, "give the picture's path or a data URL",
         R"([{"role":"user","content":[{"type":"image_url","uuid":"cat"}]}])");
}

TEST_F(Refusal, NumbersThatAreOnlyNearlyNumbers) {
  for (const char* option : {"--max-new-tokens", "--top-k", "--seed", "--max-image-tokens",
                             "--min-pixels", "--max-pixels"}) {
    for (const char* value : {"-1", "1.5", "1e3", "18446744073709551616", "nan", "x"}) {
      Expect({"ask", "?", std::string(option) + "=" + value}, 2, "is not a whole number from 0 to");
    }
  }
  Expect({"ask", "?", "--max-side", "2147483648"}, 2, "from -2147483648 to 2147483647");
  Expect({"ask", "?", "--temperature", "warm"}, 2, "temperature");
}

TEST_F(Refusal, NamesThatWouldDriveTheTerminal) {
  Expect({"ask", "no\nsuch\x1b[31m.png", "?"}, 1, "no\\x0asuch\\x1b[31m.png");
  Expect({"ask", "no\xff.png", "?"}, 1, "no\\xff.png");
  Expect({"ask", "?", "--model", "no\nsuch"}, 1, "no\\x0asuch");
  Expect({"ask", std::string(100'000, 'x'), "?"}, 2, "no path");
}

TEST_F(Refusal, MorePicturesThanTheContextTakes) {
  std::vector<std::string> arguments(5000, picture_);
  arguments.insert(arguments.begin(), "ask");
  arguments.push_back("?");
  Expect(arguments, 1, "the model's context has");
}

TEST_F(Refusal, PicturesThatAreNotPictures) {
  Expect({"ask", "/nowhere/a.png", "?"}, 1, "picture 1 (/nowhere/a.png): cannot open");
  Expect({"ask", picture_, Write("page.png", "<!DOCTYPE html><html></html>"), "?"}, 1, "picture 2");
  Expect({"ask", Write("empty.jpg", ""), "?"}, 1, "picture 1");
  Expect({"ask", directory_.path().string(), "?"}, 2, "directory");
  Expect({"ask", "https://example.org/a.png", "?"}, 1, "not fetched from the network");
  Expect({"ask", "data:image/png;base64,!!!!", "?"}, 2, "not base64");
}

TEST_F(Refusal, MessagesThatMakeNoSense) {
  const auto expect = [this](const std::string& messages, int code, const std::string& words) {
    Expect({"ask", "--messages", "-"}, code, words, messages);
  };
  expect("", 2, "not valid JSON");
  expect("[]", 2, "empty");
  expect("{\"role\": \"user\"}", 2, "list of messages");
  expect(R"([{"role": "wizard", "content": "x"}])", 2, "messages[0].role");
  expect(R"([{"role": "user", "content": [{"type": "video_url"}]}])", 1, "messages[0].content[0]");
  expect(R"([{"role": "user", "content": [{"type": "image", "image": "/nowhere/b.png"}]}])", 1,
         "messages[0].content[0]");
  expect("[{\"role\": \"user\", \"content\": \"\xB0\xA1\"}]", 2, "UTF-8");
  expect(std::string(200'000, '['), 2, "nests deeper");
}

TEST_F(Refusal, CheckpointsThatAreNone) {
  Expect({"ask", "?", "--model", "/nowhere"}, 1, "/nowhere");
  Expect({"inspect", "/nowhere"}, 1, "/nowhere");
  Expect({"ask", "?", "--model", directory_.path().string()}, 1, "config.json");
}

TEST_F(Refusal, GitLfsPointerInsteadOfWeights) {
  Expect({"ask", "?", "--model",
          SpoiltCheckpoint("model.safetensors", "version https://git-lfs.github.com/spec/v1\n")},
         1, "Git LFS pointer");
}

TEST_F(Refusal, WebPageInsteadOfWeights) {
  Expect({"ask", "?", "--model", SpoiltCheckpoint("model.safetensors", "<html>sign in</html>")}, 1,
         "HTML page");
}

TEST_F(Refusal, CutOffWeights) {
  Expect({"ask", "?", "--model",
          SpoiltCheckpoint("model.safetensors", std::string("\x20\0\0\0\0\0\0\0{", 9))},
         1, "model.safetensors");
}

TEST_F(Refusal, AnotherModelsConfig) {
  Expect({"ask", "?", "--model", SpoiltCheckpoint("config.json", R"({"model_type": "llama"})")}, 1,
         "llama");
}

TEST_F(Refusal, PictureSizesThatNoPictureHas) {
  Expect({"ask", picture_, "?", "--model",
          SpoiltCheckpoint("preprocessor_config.json",
                           R"({"size": {"shortest_edge": 4096, "longest_edge": 2000000000}})")},
         2, "preprocessor_config.json");
}

TEST_F(Refusal, BrokenTokenizer) {
  Expect({"ask", "?", "--model", SpoiltCheckpoint("tokenizer.json", "{}")}, 1, "tokenizer.json");
}

}  // namespace
}  // namespace ocelli
