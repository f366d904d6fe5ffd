#include "api/ocr_page.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "api/ocr_formats.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::shared_ptr<const Patches> Picture(SizePx original, SizePx used) {
  auto patches = std::make_shared<Patches>();
  patches->original_size = original;
  patches->used_size = used;
  patches->image_tokens = 7;
  return patches;
}

void Write(OcrReader& reader, const std::string& text, double probability) {
  TokenEvent event;
  event.text = text;
  event.logprob = TokenLogprob{1, static_cast<float>(std::log(probability))};
  reader.Collect(event);
}

void End(OcrReader& reader, FinishReason reason, const std::string& held = "",
         std::optional<size_t> loop_start = {}) {
  reader.Collect(ChoiceEvent{0, reason, held, loop_start});
  FinishedEvent finished;
  finished.reason = reason;
  finished.usage.completion_tokens = 5;
  reader.Collect(finished);
}

TEST(OcrReader, LinesCarryTheMeanConfidenceOfTheirTokens) {
  OcrReader reader(Picture({100, 50}, {96, 64}));
  Write(reader, "Hel", 0.9);
  Write(reader, "lo\n", 0.4);
  Write(reader, "\n", 1);
  Write(reader, "wor", 0.5);
  End(reader, FinishReason::kStop, "ld \n");
  ASSERT_TRUE(reader.finished());
  const OcrPage page = reader.Page().value();
  EXPECT_EQ(page.text, "Hello\n\nworld");
  EXPECT_THAT(page.lines, ElementsAre(OcrLine{"Hello", 0.6}, OcrLine{"world", 0.5}));
  EXPECT_THAT(page.warnings, IsEmpty());
  EXPECT_EQ(page.image_tokens, 7u);
  EXPECT_EQ(page.completion_tokens, 5u);
}

TEST(OcrReader, ReasoningIsNoPartOfThePage) {
  OcrReader reader(Picture({100, 50}, {96, 64}));
  TokenEvent thought;
  thought.reasoning = "a page";
  thought.is_reasoning = true;
  thought.logprob = TokenLogprob{1, -5.0f};
  reader.Collect(thought);
  Write(reader, "Hi", 0.5);
  End(reader, FinishReason::kStop);
  EXPECT_EQ(reader.Page()->text, "Hi");
  EXPECT_THAT(reader.Page()->lines, ElementsAre(OcrLine{"Hi", 0.5}));
}

TEST(OcrReader, ALoopIsCutWhereItsSecondCopyBegins) {
  OcrReader reader(Picture({100, 50}, {96, 64}));
  for (const char* text : {"a\n", "b\n", "b\n", "b\n"}) Write(reader, text, 1);
  End(reader, FinishReason::kLoop, "b", 2);
  const OcrPage page = reader.Page().value();
  EXPECT_EQ(page.text, "a\nb");
  EXPECT_THAT(page.warnings, ElementsAre("loop_stopped"));
}

TEST(OcrReader, SaysWhatWasLost) {
  OcrReader reader(Picture({1000, 500}, {320, 160}));
  Write(reader, "x", 1);
  End(reader, FinishReason::kLength);
  EXPECT_THAT(reader.Page().value().warnings, ElementsAre("cut_by_length", "shrunk"));
}

TEST(OcrReader, AFailureIsNoPage) {
  OcrReader failed(Picture({}, {}));
  failed.Collect(FinishedEvent{FinishReason::kError, Error{ErrorCode::kInternal, "broken", ""},
                               Usage(), StageTimes()});
  EXPECT_EQ(failed.Page().error().message, "broken");
  OcrReader stopped(Picture({}, {}));
  End(stopped, FinishReason::kCancelled);
  EXPECT_EQ(stopped.Page().error().code, ErrorCode::kCancelled);
}

OcrPage SomePage() {
  OcrPage page;
  page.text = "Total, \"net\"\n| a | b |\n\nend";
  page.lines = {{"Total, \"net\"", 0.987}, {"| a | b |", 1}, {"end", 0.5}};
  page.warnings = {"shrunk"};
  page.original_size = {10, 20};
  page.used_size = {32, 64};
  page.enhanced = {"deskew"};
  return page;
}

TEST(OcrPage, ComesBackFromItsJson) {
  EXPECT_EQ(ParseOcrPage(OcrPageJson(SomePage()).dump()).value(), SomePage());
  for (const char* text : {"", "{", "[]", "{}", R"({"text": 1})", "null"})
    EXPECT_FALSE(ParseOcrPage(text).ok()) << text;
}

TEST(OcrFormats, EachHoldsThePage) {
  const OcrPage page = SomePage();
  EXPECT_EQ(Formatted(page, "a,b.png", OcrFormat::kText), page.text + "\n");
  EXPECT_EQ(Formatted(page, "a,b.png", OcrFormat::kMarkdown),
            "Total, \"net\"  \n| a | b |\n\nend\n");
  EXPECT_EQ(Formatted(page, "a,b.png", OcrFormat::kCsv),
            "file,line,text,confidence\r\n\"a,b.png\",1,\"Total, \"\"net\"\"\",0.987\r\n"
            "\"a,b.png\",2,| a | b |,1.000\r\n\"a,b.png\",3,end,0.500\r\n");
  const auto json = nlohmann::json::parse(Formatted(page, "a\xff", OcrFormat::kJson));
  EXPECT_EQ(json["lines"].size(), 3u);
  EXPECT_EQ(json["file"], "a\xef\xbf\xbd");
}

TEST(OcrFormats, ABlankPageIsAnEmptyResult) {
  const OcrPage page = BlankPage({3, 4});
  EXPECT_EQ(Formatted(page, "a", OcrFormat::kText), "");
  EXPECT_EQ(Formatted(page, "a", OcrFormat::kMarkdown), "");
  EXPECT_EQ(nlohmann::json::parse(Formatted(page, "a", OcrFormat::kJson))["warnings"][0], "blank");
}

TEST(OcrFormats, AreNamedByTheirEndings) {
  for (const char* ending : {"txt", "md", "json", "csv"})
    EXPECT_EQ(EndingOf(OcrFormatOf(ending).value()), ending);
  EXPECT_FALSE(OcrFormatOf("pdf").has_value());
}

}  // namespace
}  // namespace ocelli::api
