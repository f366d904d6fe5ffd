#include "model/mrope.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace ocelli {

RopeIndex::RopeIndex(size_t num_tokens, std::span<const PictureSpan> pictures)
    : num_tokens_(num_tokens) {
  runs_.reserve(2 * pictures.size() + 1);
  for (const PictureSpan& picture : pictures) {
    const Run& text = runs_.back();
    OCELLI_CHECK(picture.first_token >= text.begin && picture.num_tokens() > 0,
                 "picture at token {} of {} tokens after token {}", picture.first_token,
                 picture.num_tokens(), text.begin);
    const auto text_tokens = static_cast<int32_t>(picture.first_token - text.begin);
    const int32_t position = text.position + text_tokens;
    const auto longer_side = static_cast<int32_t>(std::max(picture.token_rows, picture.token_cols));
    runs_.push_back({picture.first_token, position, picture.token_cols});
    runs_.push_back({picture.first_token + picture.num_tokens(), position + longer_side, 0});
  }
  const Run& tail = runs_.back();
  OCELLI_CHECK(tail.begin <= num_tokens, "pictures end at token {} of {}", tail.begin, num_tokens);
  rope_delta_ = tail.position - static_cast<int32_t>(tail.begin);
}

void RopeIndex::CopyTo(size_t first_token, MatView<int32_t> out) const {
  OCELLI_CHECK(out.rows() == 3, "{} axes", out.rows());
  auto run = std::upper_bound(runs_.begin(), runs_.end(), first_token,
                              [](size_t token, const Run& r) { return token < r.begin; }) -
             1;
  for (size_t done = 0; done < out.cols(); ++run) {
    const size_t token = first_token + done;
    const size_t left = out.cols() - done;
    const bool last = run + 1 == runs_.end();
    const size_t count = last ? left : std::min(left, (run + 1)->begin - token);
    CopyRun(*run, token - run->begin, count, out.Cols(done, count));
    done += count;
  }
}

void RopeIndex::CopyRun(const Run& run, size_t first, size_t count, MatView<int32_t> out) const {
  for (size_t i = 0; i < count; ++i) {
    const size_t offset = first + i;
    const bool picture = run.token_cols != 0;
    out(0, i) = run.position + static_cast<int32_t>(picture ? 0 : offset);
    out(1, i) = run.position + static_cast<int32_t>(picture ? offset / run.token_cols : offset);
    out(2, i) = run.position + static_cast<int32_t>(picture ? offset % run.token_cols : offset);
  }
}

float InverseFrequency(double rope_theta, size_t i, size_t dim) {
  const float exponent = static_cast<float>(2 * i) / static_cast<float>(dim);
  return 1.0f / static_cast<float>(std::pow(rope_theta, double{exponent}));
}

TextRotaryEmbedding::TextRotaryEmbedding(const TextConfig& config) : pairs_(config.head_dim / 2) {
  for (size_t i = 0; i < pairs_.size(); ++i) {
    pairs_[i].inv_freq = InverseFrequency(config.rope_theta, i, config.head_dim);
    const size_t axis = i % 3;
    if (i < 3 * config.mrope_section[axis]) pairs_[i].axis = static_cast<uint32_t>(axis);
  }
}

void TextRotaryEmbedding::CosSin(MatView<const int32_t> position_ids, MatView<float> cos,
                                 MatView<float> sin) const noexcept {
  for (size_t r = 0; r < position_ids.cols(); ++r) {
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const float angle = pairs_[i].inv_freq * static_cast<float>(position_ids(pairs_[i].axis, r));
      cos(r, i) = static_cast<float>(std::cos(double{angle}));
      sin(r, i) = static_cast<float>(std::sin(double{angle}));
    }
  }
}

}  // namespace ocelli
