#ifndef OCELLI_TEXT_REASONING_SPLITTER_H_
#define OCELLI_TEXT_REASONING_SPLITTER_H_

#include <optional>
#include <string>

#include "text/detokenizer.h"
#include "text/tokenizer.h"

namespace ocelli {

// What one token adds to an answer.
struct AnswerPiece {
  std::string reasoning{};
  std::string text{};
  bool is_reasoning = false;  // the token stands before the first of the text
};

// Turns the tokens of an answer into text as StreamingDetokenizer does, and divides it: what a
// Thinking model writes before its end-of-reasoning token, and the answer proper. The token itself
// counts, not what looks like it, so that reasoning may quote "</think>". Line breaks around either
// part are dropped, as the published template drops them: joined, the parts are what it would make
// of the whole. The tokenizer must outlive it.
//
// **Threads**: one thread at a time.
class ReasoningSplitter {
 public:
  // `end`: the token that ends the reasoning with which the answer begins; none: all is text.
  ReasoningSplitter(const Tokenizer& tokenizer, std::optional<TokenId> end);

  // Adds a token and returns what is complete now, often nothing.
  AnswerPiece Push(TokenId id);

  // Ends the answer and returns what was held back of a character. Reasoning that never ended stays
  // reasoning.
  AnswerPiece Finish();

 private:
  enum class Part { kReasoning, kBetween, kText };

  std::string Reasoning(const std::string& text);

  const Tokenizer* tokenizer_;
  StreamingDetokenizer detokenizer_;
  std::optional<TokenId> end_;
  Part part_;
  bool begun_ = false;       // some reasoning was given out
  std::string held_breaks_;  // of the reasoning: dropped if nothing follows
};

}  // namespace ocelli

#endif  // OCELLI_TEXT_REASONING_SPLITTER_H_
