#include "api/ocr_page.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kBlanks = " \t\r\n";
constexpr uint64_t kShrunk = 2;

std::string WithoutBlanksAtEnd(std::string text) {
  text.erase(text.find_last_not_of(kBlanks) + 1);
  return text;
}

bool HasText(std::string_view line) { return line.find_first_not_of(kBlanks) != line.npos; }

double Rounded(double confidence) { return std::round(confidence * 1000) / 1000; }

Json SizeJson(SizePx size) { return {{"width", size.width_px}, {"height", size.height_px}}; }

SizePx SizeOf(const Json& size) { return {size.at("width"), size.at("height")}; }

// The size that the picture had before the size rule.
SizePx SourceSize(const Patches& picture) {
  return picture.enhanced ? picture.enhanced->size : picture.original_size;
}

// A line that is still being written.
struct OpenLine {
  std::string text;
  double logprobs = 0;
  size_t tokens = 0;

  void CloseInto(std::vector<OcrLine>& lines) {
    if (HasText(text) && tokens > 0) {
      const double mean = logprobs / static_cast<double>(tokens);
      lines.push_back({WithoutBlanksAtEnd(std::move(text)), Rounded(std::exp(mean))});
    }
    *this = OpenLine();
  }
};

}  // namespace

OcrPage BlankPage(SizePx original_size) {
  OcrPage page;
  page.warnings = {"blank"};
  page.original_size = original_size;
  return page;
}

SamplingParams ReadingParams(size_t max_new_tokens) {
  SamplingParams params;
  params.max_new_tokens = max_new_tokens;
  params.loop_guard = true;
  params.logprobs = true;
  return params;
}

void OcrReader::Collect(const Event& event) {
  if (const auto* token = std::get_if<TokenEvent>(&event)) {
    pieces_.push_back(
        {token->text, token->logprob ? token->logprob->logprob : 0.0, token->is_reasoning});
  } else if (const auto* choice = std::get_if<ChoiceEvent>(&event)) {
    choice_ = *choice;
  } else if (const auto* finished = std::get_if<FinishedEvent>(&event)) {
    finished_ = *finished;
  }
}

// A token counts for the line on which its text begins.
std::vector<OcrLine> OcrReader::Lines(size_t num_pieces) const {
  std::vector<OcrLine> lines;
  OpenLine line;
  const auto add = [&](std::string_view text) {
    while (true) {
      const size_t end = text.find('\n');
      line.text += text.substr(0, end);
      if (end == text.npos) return;
      line.CloseInto(lines);
      text.remove_prefix(end + 1);
    }
  };
  for (size_t i = 0; i < num_pieces; ++i) {
    if (pieces_[i].is_reasoning) continue;
    line.logprobs += pieces_[i].logprob;
    ++line.tokens;
    add(pieces_[i].text);
  }
  if (num_pieces == pieces_.size() && choice_) add(choice_->text);
  line.CloseInto(lines);
  return lines;
}

Result<OcrPage> OcrReader::Page() const {
  if (finished_->error) return *finished_->error;
  if (finished_->reason == FinishReason::kCancelled) {
    return Error{ErrorCode::kCancelled, "stopped", ""};
  }
  OcrPage page;
  size_t kept = pieces_.size();
  if (choice_ && choice_->loop_start_token) kept = std::min(kept, *choice_->loop_start_token);
  for (size_t i = 0; i < kept; ++i) page.text += pieces_[i].text;
  if (kept == pieces_.size() && choice_) page.text += choice_->text;
  page.text = WithoutBlanksAtEnd(std::move(page.text));
  page.lines = Lines(kept);
  if (finished_->reason == FinishReason::kLength) page.warnings.push_back("cut_by_length");
  if (finished_->reason == FinishReason::kLoop) page.warnings.push_back("loop_stopped");
  page.original_size = picture_->original_size;
  page.used_size = picture_->used_size;
  if (kShrunk * page.used_size.num_pixels() < SourceSize(*picture_).num_pixels()) {
    page.warnings.push_back("shrunk");
  }
  page.image_tokens = picture_->image_tokens;
  page.completion_tokens = finished_->usage.completion_tokens;
  if (picture_->enhanced) {
    page.enhanced.assign(picture_->enhanced->steps.begin(), picture_->enhanced->steps.end());
  }
  return page;
}

Json OcrPageJson(const OcrPage& page) {
  Json lines = Json::array();
  for (const OcrLine& line : page.lines) {
    lines.push_back({{"text", line.text}, {"confidence", line.confidence}});
  }
  return {{"text", page.text},
          {"lines", std::move(lines)},
          {"warnings", page.warnings},
          {"original_size", SizeJson(page.original_size)},
          {"used_size", SizeJson(page.used_size)},
          {"image_tokens", page.image_tokens},
          {"completion_tokens", page.completion_tokens},
          {"enhanced", page.enhanced}};
}

Result<OcrPage> ParseOcrPage(std::string_view text) try {
  OCELLI_ASSIGN_OR_RETURN(const Json json, ParseOrderedJson(text));
  OcrPage page;
  page.text = json.at("text");
  for (const Json& line : json.at("lines")) {
    page.lines.push_back({line.at("text"), line.at("confidence")});
  }
  page.warnings = json.at("warnings");
  page.original_size = SizeOf(json.at("original_size"));
  page.used_size = SizeOf(json.at("used_size"));
  page.image_tokens = json.at("image_tokens");
  page.completion_tokens = json.at("completion_tokens");
  page.enhanced = json.at("enhanced");
  return page;
} catch (const Json::exception&) {
  return Error{ErrorCode::kCorruptData, "this is no page that was read", ""};
}

}  // namespace ocelli::api
