#ifndef OCELLI_ENGINE_ANSWER_TEXT_H_
#define OCELLI_ENGINE_ANSWER_TEXT_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/stop_matcher.h"
#include "text/reasoning_splitter.h"
#include "text/tokenizer.h"

namespace ocelli {

// The text of one answer as its tokens arrive: whole characters only, reasoning apart, up to a stop
// string. Stop strings are looked for in the text alone: reasoning repeats what was asked, and an
// answer must not end before it has begun.
class AnswerText {
 public:
  // `tokenizer` must outlive this. `reasoning_end`: see GenerateRequest::reasoning_end_token_id.
  AnswerText(const Tokenizer& tokenizer, const std::vector<std::string>& stop,
             std::optional<TokenId> reasoning_end = std::nullopt)
      : splitter_(tokenizer, reasoning_end), matcher_(stop) {}

  // Adds a token and returns what can be shown now.
  AnswerPiece Push(TokenId id) { return UpToStop(splitter_.Push(id)); }

  // Ends the answer and returns what was held back.
  AnswerPiece Finish() {
    AnswerPiece piece = UpToStop(splitter_.Finish());
    piece.text += matcher_.Finish();
    return piece;
  }

  // Whether a stop string was found.
  bool stopped() const { return matcher_.stopped(); }

 private:
  AnswerPiece UpToStop(AnswerPiece piece) {
    piece.text = matcher_.Push(piece.text);
    return piece;
  }

  ReasoningSplitter splitter_;
  StopMatcher matcher_;
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_ANSWER_TEXT_H_
