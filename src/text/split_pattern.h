#ifndef OCELLI_TEXT_SPLIT_PATTERN_H_
#define OCELLI_TEXT_SPLIT_PATTERN_H_

#include <memory>
#include <string_view>

#include "base/error.h"
#include "base/function_ref.h"

namespace ocelli {

// The regular expression that cuts text into pre-tokens, between which no merge happens.
//
// **Threads**: ForEach may be called from any thread at once.
class SplitPattern {
 public:
  // kCompiled runs machine code, and the interpreter where the system forbids making such code or a
  // match outgrows its stack; kInterpreted always runs the interpreter.
  enum class Engine { kCompiled, kInterpreted };

  // Compiles a pattern in the syntax of tokenizer.json. **Errors**: kCorruptData for one that is
  // not a regular expression; kUnsupported for one that matches the empty string.
  static Result<SplitPattern> Compile(std::string_view pattern, Engine engine = Engine::kCompiled);

  // Calls `emit` with the pieces of well-formed UTF-8 in order: each match, and each stretch
  // between matches. The pieces joined are the text. A match that would exhaust its limits of time
  // or memory (no published pattern does) leaves the rest of the text as one piece.
  void ForEach(std::string_view utf8, FunctionRef<void(std::string_view)> emit) const;

 private:
  struct CodeDeleter {
    void operator()(void* code) const noexcept;
  };

  explicit SplitPattern(void* code) : code_(code) {}

  std::unique_ptr<void, CodeDeleter> code_;  // pcre2_code
};

}  // namespace ocelli

#endif  // OCELLI_TEXT_SPLIT_PATTERN_H_
