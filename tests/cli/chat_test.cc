#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "golden_case.h"
#include "gtest/gtest.h"
#include "run_program.h"

// `ocelli chat` driven over a pipe.

namespace ocelli {
namespace {

const std::string kModel = (GoldenDirectory() / "checkpoint_tied").string();
const std::string kPicture = (GoldenDirectory() / "tied/one_picture/picture_0.png").string();

ProgramResult Chat(const std::string& lines, std::vector<std::string> options = {}) {
  ProgramInput input;
  input.standard_input = lines;
  std::vector<std::string> arguments = {"chat", "--temperature", "0", "--max-new-tokens", "24"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return RunOcelli(arguments, input);
}

TEST(Chat, FirstTurnAnswersAsAskDoes) {
  const ProgramResult chat = Chat(kPicture + "\nRead the text.\n");
  const ProgramResult ask = RunOcelli(
      {"ask", kPicture, "Read the text.", "--temperature", "0", "--max-new-tokens", "24"});
  ASSERT_EQ(chat.exit_code, 0) << chat.err;
  EXPECT_EQ(chat.out, ask.out);
  EXPECT_EQ(Chat(kPicture + " Read the text.").out, ask.out);
  EXPECT_EQ(Chat("/picture " + kPicture + "\nRead the text.\n/quit\nmore").out, ask.out);
}

TEST(Chat, SecondTurnsReadOnlyWhatIsNew) {
  const ProgramResult result =
      Chat(kPicture + " Read the text.\n/retry\nAnd now?\n/clear\nHello\n", {"--verbose"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::vector<int> cached;
  const std::string words = " prompt tokens were in the cache";
  for (size_t at = result.err.find(words); at != std::string::npos;
       at = result.err.find(words, at + 1)) {
    const size_t line = result.err.rfind('\n', at) + 1;
    cached.push_back(std::stoi(result.err.substr(line, at - line)));
  }
  ASSERT_EQ(cached.size(), 4u) << result.err;
  EXPECT_EQ(cached[0], 0);
  EXPECT_GT(cached[1], 50);  // all but the last token of the same prompt
  EXPECT_GE(cached[2], cached[1]);
  EXPECT_LT(cached[3], 32);  // nothing but the template's opening is shared
}

TEST(Chat, SaysWhatItRunsOn) {
  const ProgramResult result = Chat("", {"--threads", "1", "--kv-memory", "8M"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* words : {"kernels ", "1 thread (as asked", "memory: weights ",
                            "KV cache up to 8.00 MiB", "huge pages: "}) {
    EXPECT_NE(result.err.find(words), std::string::npos) << words << " in " << result.err;
  }
}

TEST(Chat, CtrlCStopsTheAnswerAndNotTheProgram) {
  ProgramInput input;
  input.interrupt_on_output = true;
  input.standard_input = "Go on\n/help\n";
  const ProgramResult result = RunOcelli({"chat", "--model", kModel, "--ignore-eos",
                                          "--max-new-tokens", "100000", "--temperature", "0"},
                                         input);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("(stopped)"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("/retry"), std::string::npos);
}

TEST(Chat, LinesThatFailAreSaidAndTheOthersAnswered) {
  const ProgramResult result =
      Chat("/picture /nowhere/a.png\n/nonsense\n/retry\n/picture " OCELLI_SOURCE_DIR
           "/LICENSE\nHello\n");
  EXPECT_EQ(result.exit_code, 1);  // that of the last: no picture
  EXPECT_NE(result.out, "");
  for (const char* words : {"cannot open /nowhere/a.png", "/nonsense is no command",
                            "no answer yet", "LICENSE", "4 lines failed"}) {
    EXPECT_NE(result.err.find(words), std::string::npos) << words << " in " << result.err;
  }
}

TEST(Chat, AConversationOverTheContextIsRefusedAndCanBeCleared) {
  const ProgramResult result = Chat(
      "one two three four five six seven eight nine ten eleven twelve thirteen fourteen\n"
      "/clear\nHi\n",
      {"--max-context", "48", "--model", kModel});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_NE(result.err.find("shorten it"), std::string::npos) << result.err;
  EXPECT_NE(result.out, "");
}

TEST(Chat, AnOutputThatTakesNoMoreEndsIt) {
  ProgramInput input;
  input.output_path = "/dev/full";
  input.standard_input = "Hello\nHello\n";
  const ProgramResult result = RunOcelli({"chat"}, input);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("No space left"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace ocelli
