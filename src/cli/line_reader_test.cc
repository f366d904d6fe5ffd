#include "cli/line_reader.h"

#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace ocelli::cli {
namespace {

// Returns what a reader makes of `input` that comes in one piece and ends.
std::vector<std::string> LinesOf(const std::string& input) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  EXPECT_EQ(write(ends[1], input.data(), input.size()), static_cast<ssize_t>(input.size()));
  close(ends[1]);
  LineReader reader(ends[0]);
  std::vector<std::string> lines;
  std::string line;
  while (true) {
    const auto outcome = reader.Read(line);
    if (!outcome.ok()) lines.push_back("error: " + outcome.error().message);
    if (!outcome.ok() || *outcome != LineReader::Outcome::kLine) break;
    lines.push_back(line);
  }
  close(ends[0]);
  return lines;
}

TEST(LineReader, SplitsLinesWhateverTheirEnds) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(LinesOf(""), Lines());
  EXPECT_EQ(LinesOf("a\nb\r\n\nc"), (Lines{"a", "b", "", "c"}));
  EXPECT_EQ(LinesOf("\xe4\xbd\xa0\xe5\xa5\xbd\n"), Lines{"\xe4\xbd\xa0\xe5\xa5\xbd"});
}

TEST(LineReader, SaysWhyNothingComes) {
  LineReader reader(-1);
  std::string line;
  const auto outcome = reader.Read(line);
  ASSERT_FALSE(outcome.ok());
  EXPECT_NE(outcome.error().message.find("cannot read standard input"), std::string::npos);
}

}  // namespace
}  // namespace ocelli::cli
