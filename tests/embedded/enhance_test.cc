#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/test_directory.h"
#include "character_errors.h"
#include "run_program.h"

// What the defaults of the enhancement rest on: the shipped model reads clean pictures exactly as
// well with it, and poor ones better.

namespace ocelli {
namespace {

using nlohmann::json;

const std::filesystem::path kPictures =
    std::filesystem::path(OCELLI_SOURCE_DIR) / "tests/embedded/pictures";
const std::vector<std::string> kClean = {"word", "line", "small, 12-15 px", "large, 33-40 px"};
const std::vector<std::string> kPoor = {"noise, blur, JPEG, tilt", "colours, light on dark"};

json ReadJson(const std::filesystem::path& path) {
  std::ifstream file(path);
  return json::parse(file);
}

bool IsMeasured(const json& asked) {
  const std::string category = asked["category"];
  return std::ranges::count(kClean, category) + std::ranges::count(kPoor, category) > 0;
}

// Wrong characters of each category, when all its pictures are read with the options `extra`.
std::map<std::string, size_t> Errors(const std::vector<std::string>& extra) {
  const testing::TestDirectory directory;
  const json cases = ReadJson(kPictures / "cases.json");
  std::vector<std::string> arguments = {"ocr",  "-o",         directory.path(), "--format",
                                        "json", "--question", "Read the text.", "--max-new-tokens",
                                        "40"};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  for (const json& asked : cases) {
    if (IsMeasured(asked)) arguments.push_back(kPictures / asked["file"].get<std::string>());
  }
  ProgramInput input;
  input.kill_after = std::chrono::minutes(4);
  const ProgramResult result = RunOcelli(arguments, input);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::map<std::string, size_t> errors;
  for (const json& asked : cases) {
    if (!IsMeasured(asked)) continue;
    const json page = ReadJson(directory.path() / (asked["file"].get<std::string>() + ".json"));
    errors[asked["category"]] +=
        CharacterErrors(page["text"].get<std::string>(), asked["answer"].get<std::string>());
  }
  return errors;
}

TEST(Enhancement, LeavesCleanPicturesAloneAndHelpsPoorOnes) {
  std::map<std::string, size_t> plain = Errors({});
  std::map<std::string, size_t> enhanced = Errors({"--enhance"});
  for (const std::string& category : kClean)
    EXPECT_EQ(enhanced[category], plain[category]) << category;
  size_t plain_poor = 0, enhanced_poor = 0;
  for (const std::string& category : kPoor) {
    plain_poor += plain[category];
    enhanced_poor += enhanced[category];
  }
  EXPECT_LT(enhanced_poor, plain_poor);
}

}  // namespace
}  // namespace ocelli
