#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "character_errors.h"
#include "run_program.h"

// The shipped model reads: a hundred pictures that it was not trained on, in type it was not
// trained on, are put to the program as a person would. The limits stand a little below what was
// measured (models/embedded/README.md), since another CPU's sums may tip an answer.
// tools/embedded/make_evaluation_set.py draws the pictures.

namespace ocelli {
namespace {

using nlohmann::json;

const std::filesystem::path kPictures =
    std::filesystem::path(OCELLI_SOURCE_DIR) / "tests/embedded/pictures";

struct Case {
  std::string file;
  std::string category;
  std::string prompt;
  std::string wanted;
  std::string got;
  std::string finish_reason;
};

struct Score {
  size_t cases = 0;
  size_t exact = 0;
  size_t stopped = 0;  // by itself, not at a limit
  size_t characters = 0;
  size_t wrong_characters = 0;

  void Add(const Case& asked) {
    ++cases;
    exact += asked.got == asked.wanted ? 1 : 0;
    stopped += asked.finish_reason == "stop" ? 1 : 0;
    characters += CountCharacters(asked.wanted);
    wrong_characters += CharacterErrors(asked.got, asked.wanted);
  }
  double ExactShare() const { return static_cast<double>(exact) / static_cast<double>(cases); }
  double ErrorRate() const {
    return static_cast<double>(wrong_characters) / static_cast<double>(characters);
  }
};

// Puts one picture and its prompt to the program.
void Ask(Case& asked) {
  const ProgramResult result =
      RunOcelli({"ask", (kPictures / asked.file).string(), asked.prompt, "--json"});
  ASSERT_EQ(result.exit_code, 0) << asked.file << ": " << result.err;
  const json answer = json::parse(result.out);
  asked.got = answer["text"];
  asked.finish_reason = answer["finish_reason"];
}

// What a category must reach.
struct Limit {
  const char* category;
  double most_errors;  // character error rate
  double least_exact;  // share of answers without a mistake
};
constexpr double kAnyErrors = 1e9;  // of answers that are right or wrong, letters are not counted
constexpr Limit kLimits[] = {
    {"word", 0.02, 0.93},
    {"line", 0.03, 0.8},
    {"2-3 lines", 0.04, 0.6},
    {"4-8 lines", 0.06, 0.0},
    {"small, 12-15 px", 0.06, 0.5},
    {"large, 33-40 px", 0.07, 0.5},
    {"colours, light on dark", 0.06, 0.6},
    {"noise, blur, JPEG, tilt", 0.02, 0.66},
    {"Chinese prompt", 0.06, 0.6},
    {"ask for a value", kAnyErrors, 1.0},
    {"describe shapes", kAnyErrors, 0.9},
    {"shape question", kAnyErrors, 0.75},
    {"blank", kAnyErrors, 1.0},
};
// Of all that is to be read, whatever the category.
constexpr double kMostErrors = 0.05;
const std::set<std::string> kAnswers = {"ask for a value", "describe shapes", "shape question",
                                        "blank"};

class Reading : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::ifstream file(kPictures / "cases.json");
    for (const json& listed : json::parse(file)) {
      Case asked{listed["file"], listed["category"], listed["prompt"], listed["answer"], {}, {}};
      Ask(asked);
      Score& score = scores_[asked.category];
      score.Add(asked);
      all_.Add(asked);
      if (!kAnswers.contains(asked.category)) read_.Add(asked);
    }
    for (const auto& [category, score] : scores_) Print(category, score);
    Print("all that is to be read", read_);
  }

  static void Print(const std::string& category, const Score& score) {
    std::printf("%-26s %3zu pictures, character error rate %6.1f %%, exact %5.1f %%\n",
                category.c_str(), score.cases, 100 * score.ErrorRate(), 100 * score.ExactShare());
  }

  static std::map<std::string, Score> scores_;
  static Score all_;
  static Score read_;  // of what is answered with the text of the picture
};
std::map<std::string, Score> Reading::scores_;
Score Reading::all_;
Score Reading::read_;

TEST_F(Reading, TheSetIsWhole) { EXPECT_EQ(all_.cases, 100u); }

TEST_F(Reading, EveryCategoryReachesWhatWasMeasured) {
  for (const Limit& limit : kLimits) {
    ASSERT_TRUE(scores_.contains(limit.category)) << limit.category;
    const Score& score = scores_[limit.category];
    EXPECT_LE(score.ErrorRate(), limit.most_errors) << limit.category;
    EXPECT_GE(score.ExactShare(), limit.least_exact) << limit.category;
  }
}

TEST_F(Reading, OneCharacterInTwentyIsWrongAtMost) { EXPECT_LE(read_.ErrorRate(), kMostErrors); }

TEST_F(Reading, AnswersStopByThemselves) { EXPECT_GE(all_.stopped, 98u); }

}  // namespace
}  // namespace ocelli
