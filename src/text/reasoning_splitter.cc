#include "text/reasoning_splitter.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace ocelli {
namespace {

bool IsLineBreaks(std::string_view bytes) { return bytes.find_first_not_of('\n') == bytes.npos; }

std::string WithoutLeadingBreaks(std::string text) {
  text.erase(0, std::min(text.find_first_not_of('\n'), text.size()));
  return text;
}

}  // namespace

ReasoningSplitter::ReasoningSplitter(const Tokenizer& tokenizer, std::optional<TokenId> end)
    : tokenizer_(&tokenizer),
      detokenizer_(tokenizer),
      end_(end),
      part_(end ? Part::kReasoning : Part::kText) {}

AnswerPiece ReasoningSplitter::Push(TokenId id) {
  if (part_ == Part::kText) return {"", detokenizer_.Push(id), false};
  if (part_ == Part::kReasoning) {
    const bool ends = id == *end_;
    if (ends) part_ = Part::kBetween;
    return {Reasoning(ends ? detokenizer_.Finish() : detokenizer_.Push(id)), "", true};
  }
  if (IsLineBreaks(tokenizer_->Bytes(id))) return {"", "", true};
  part_ = Part::kText;
  return {"", WithoutLeadingBreaks(detokenizer_.Push(id)), false};
}

AnswerPiece ReasoningSplitter::Finish() {
  std::string rest = detokenizer_.Finish();
  if (part_ == Part::kReasoning) return {Reasoning(rest), "", true};
  return {"", std::move(rest), false};
}

std::string ReasoningSplitter::Reasoning(const std::string& text) {
  std::string ready = std::exchange(held_breaks_, {}) + text;
  if (!begun_) ready = WithoutLeadingBreaks(std::move(ready));
  const size_t end = ready.find_last_not_of('\n') + 1;  // 0 when there are only breaks
  held_breaks_ = ready.substr(end);
  ready.resize(end);
  begun_ = begun_ || !ready.empty();
  return ready;
}

}  // namespace ocelli
