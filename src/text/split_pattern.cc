#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/split_pattern.h"

#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>

#include "text/pattern_dialect.h"

namespace ocelli {
namespace {

// The limits of one match. Backtracking over a run of blanks takes one step a byte, so the steps
// grow with the text; a pattern that needs more than that is not linear and is stopped.
constexpr uint32_t kBaseMatchSteps = 10'000'000;
constexpr size_t kMatchStepsPerByte = 16;
constexpr uint32_t kMatchHeapKib = 256 * 1024;

struct MatchRange {
  size_t begin;
  size_t end;
};

// One walk over one text: the memory of a match, and its limits.
class Matcher {
 public:
  Matcher(const pcre2_code* code, std::string_view text)
      : code_(code),
        text_(text),
        context_(pcre2_match_context_create(nullptr)),
        data_(pcre2_match_data_create(1, nullptr)) {
    if (context_ == nullptr || data_ == nullptr) throw std::bad_alloc();
    const size_t steps = kBaseMatchSteps + text.size() * kMatchStepsPerByte;
    pcre2_set_match_limit(context_.get(),
                          static_cast<uint32_t>(std::min<size_t>(steps, UINT32_MAX)));
    pcre2_set_heap_limit(context_.get(), kMatchHeapKib);
  }

  // Returns the first match at or after `start`; nothing when there is none or it cannot be found
  // within the limits.
  std::optional<MatchRange> Find(size_t start) {
    int count = Run(start, PCRE2_NO_UTF_CHECK);
    if (count == PCRE2_ERROR_JIT_STACKLIMIT) count = Run(start, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT);
    if (count < 0) return std::nullopt;
    const PCRE2_SIZE* offsets = pcre2_get_ovector_pointer(data_.get());
    return MatchRange{offsets[0], offsets[1]};
  }

 private:
  struct Deleter {
    void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
    void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  };

  int Run(size_t start, uint32_t options) {
    return pcre2_match(code_, reinterpret_cast<PCRE2_SPTR>(text_.data()), text_.size(), start,
                       options, data_.get(), context_.get());
  }

  const pcre2_code* code_;
  std::string_view text_;
  std::unique_ptr<pcre2_match_context, Deleter> context_;
  std::unique_ptr<pcre2_match_data, Deleter> data_;
};

std::string CompileErrorText(int error) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(error, buffer.data(), buffer.size());
  return reinterpret_cast<const char*>(buffer.data());
}

bool MatchesEmpty(const pcre2_code* code) {
  uint32_t matches_empty = 0;
  pcre2_pattern_info(code, PCRE2_INFO_MATCHEMPTY, &matches_empty);
  return matches_empty != 0;
}

}  // namespace

void SplitPattern::CodeDeleter::operator()(void* code) const noexcept {
  pcre2_code_free(static_cast<pcre2_code*>(code));
}

Result<SplitPattern> SplitPattern::Compile(std::string_view pattern, Engine engine) {
  const std::string translated = TranslatePattern(pattern);
  int error = 0;
  PCRE2_SIZE error_offset = 0;
  pcre2_code* code = pcre2_compile(
      reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
      PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &error_offset, nullptr);
  if (code == nullptr) {
    return Error{ErrorCode::kCorruptData,
                 fmt::format("the pre-tokenizer's pattern is not a regular expression: {}",
                             CompileErrorText(error)),
                 ""};
  }
  SplitPattern split(code);
  if (MatchesEmpty(code)) {
    return Error{ErrorCode::kUnsupported,
                 "the pre-tokenizer's pattern matches the empty string, which is not supported",
                 ""};
  }
  // Without machine code the interpreter runs: slower, and the same pieces.
  if (engine == Engine::kCompiled) pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
  return split;
}

void SplitPattern::ForEach(std::string_view utf8, FunctionRef<void(std::string_view)> emit) const {
  if (utf8.empty()) return;
  Matcher matcher(static_cast<const pcre2_code*>(code_.get()), utf8);
  size_t done = 0;
  while (done < utf8.size()) {
    const MatchRange match = matcher.Find(done).value_or(MatchRange{utf8.size(), utf8.size()});
    if (match.begin > done) emit(utf8.substr(done, match.begin - done));
    if (match.end > match.begin) emit(utf8.substr(match.begin, match.end - match.begin));
    done = match.end;
  }
}

}  // namespace ocelli
