#ifndef OCELLI_API_OCR_PAGE_H_
#define OCELLI_API_OCR_PAGE_H_

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/request.h"
#include "picture/patches.h"

namespace ocelli::api {

// Room for the text of a dense page.
inline constexpr size_t kPageMaxNewTokens = 2048;

// One line of a page. The confidence is the geometric mean of its tokens' probabilities.
struct OcrLine {
  std::string text;
  double confidence = 0;  // 0 .. 1, three digits

  bool operator==(const OcrLine&) const = default;
};

// What was read from one picture.
struct OcrPage {
  std::string text;            // as the model wrote it, without blanks at its end
  std::vector<OcrLine> lines;  // those with something on them
  // "blank": no contrast, the model was not asked. "cut_by_length": there is more than the budget
  // allows. "loop_stopped": the model repeated itself; what it repeated is left out. "shrunk": used
  // at less than half of its pixels, so small text may be missed.
  std::vector<std::string> warnings;
  SizePx original_size;
  SizePx used_size;
  size_t image_tokens = 0;
  size_t completion_tokens = 0;
  std::vector<std::string> enhanced;  // the steps that changed the picture

  bool operator==(const OcrPage&) const = default;
};

// The page of a picture on which nothing can be read.
OcrPage BlankPage(SizePx original_size);

// How a page is read: greedily, without penalties, guarded against endless repetition, with the
// probability of each token.
SamplingParams ReadingParams(size_t max_new_tokens);

// Makes a page of the events of one request (with ReadingParams) about one picture.
class OcrReader {
 public:
  explicit OcrReader(std::shared_ptr<const Patches> picture) : picture_(std::move(picture)) {}

  void Collect(const Event& event);

  // Whether FinishedEvent came. Then Page returns what was read, or what ended the request.
  bool finished() const { return finished_.has_value(); }
  Result<OcrPage> Page() const;

 private:
  struct Piece {
    std::string text;
    double logprob = 0;
    bool is_reasoning = false;  // no part of the page
  };
  std::vector<OcrLine> Lines(size_t num_pieces) const;

  std::shared_ptr<const Patches> picture_;
  std::vector<Piece> pieces_;  // one a token, and one for what was held back
  std::optional<ChoiceEvent> choice_;
  std::optional<FinishedEvent> finished_;
};

// Returns `page` as a JSON object, and reads it back. **Errors**: kCorruptData for anything else.
nlohmann::ordered_json OcrPageJson(const OcrPage& page);
Result<OcrPage> ParseOcrPage(std::string_view text);

}  // namespace ocelli::api

#endif  // OCELLI_API_OCR_PAGE_H_
