#include "engine/sequence.h"

#include <algorithm>
#include <utility>

#include "kernels/attention.h"

namespace ocelli {

Sequence::Sequence(std::shared_ptr<const PromptContent> prompt, uint64_t order, size_t max_tokens,
                   size_t max_draft_tokens)
    : prompt_(std::move(prompt)),
      order_(order),
      max_tokens_(max_tokens),
      lookup_(max_draft_tokens),
      token_ids_(prompt_->token_ids),
      units_(prompt_->units) {}

void Sequence::AppendToken(TokenId id) {
  if (num_guesses_ > 0) {
    token_ids_[num_tokens()] = id;
    --num_guesses_;
  } else {
    token_ids_.push_back(id);
  }
  units_.push_back(ContentUnit::Token(id));
}

void Sequence::Guess(size_t limit) {
  // The pass itself gives one token, so guesses that would be the last one are of no use.
  const size_t useful = max_tokens_ - num_tokens() - 1;
  num_guesses_ = lookup_.AppendGuess(token_ids_, std::min(limit, useful));
}

void Sequence::EndGuesses(size_t num_guessed, size_t num_right) {
  token_ids_.resize(num_tokens());
  num_guesses_ = 0;
  lookup_.Report(num_guessed, num_right);
}

std::span<const BlockKey> Sequence::WholeKeys() {
  while ((keys_.size() + 1) * kKvBlockTokens <= units_.size()) keys_.push_back(KeyOf(keys_.size()));
  return keys_;
}

BlockKey Sequence::KeyOf(size_t index) {
  if (index < keys_.size()) return keys_[index];
  const BlockKey parent = index == 0 ? BlockKey{} : KeyOf(index - 1);
  return ChainKey(parent, BlockUnits(index, units_.size()));
}

std::span<const ContentUnit> Sequence::BlockUnits(size_t index, size_t num_tokens) const {
  const size_t begin = index * kKvBlockTokens;
  const size_t end = std::min(begin + kKvBlockTokens, num_tokens);
  return std::span(units_).subspan(begin, end - begin);
}

const PictureRun* Sequence::NextPicture() const {
  const auto& runs = prompt_->runs;
  const auto next = std::find_if(runs.begin(), runs.end(),
                                 [this](const PictureRun& run) { return run.end > num_computed; });
  return next == runs.end() ? nullptr : &*next;
}

bool Sequence::AtPicture() const {
  const PictureRun* run = NextPicture();
  return run != nullptr && !picture && num_computed >= run->begin;
}

size_t Sequence::NumReady() const {
  const PictureRun* run = NextPicture();
  if (run != nullptr && picture) ++run;  // the next picture that is not there
  const bool more = run != nullptr && run != prompt_->runs.data() + prompt_->runs.size();
  const size_t end = more ? run->begin : num_tokens();
  return end > num_computed ? end - num_computed : 0;
}

}  // namespace ocelli
