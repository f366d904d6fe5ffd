#ifndef OCELLI_ENGINE_ANSWER_TEXT_H_
#define OCELLI_ENGINE_ANSWER_TEXT_H_

#include <string>
#include <vector>

#include "engine/stop_matcher.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"

namespace ocelli {

// The text of one answer as its tokens arrive: whole characters only, up to a stop string.
class AnswerText {
 public:
  // `tokenizer` must outlive this.
  AnswerText(const Tokenizer& tokenizer, const std::vector<std::string>& stop)
      : detokenizer_(tokenizer), matcher_(stop) {}

  // Adds a token and returns the text that can be shown now.
  std::string Push(TokenId id) { return matcher_.Push(detokenizer_.Push(id)); }

  // Ends the answer and returns the text that was held back.
  std::string Finish() {
    std::string text = matcher_.Push(detokenizer_.Finish());
    return text + matcher_.Finish();
  }

  // Whether a stop string was found.
  bool stopped() const { return matcher_.stopped(); }

 private:
  StreamingDetokenizer detokenizer_;
  StopMatcher matcher_;
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_ANSWER_TEXT_H_
