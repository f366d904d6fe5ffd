#ifndef OCELLI_ENGINE_SEQUENCE_H_
#define OCELLI_ENGINE_SEQUENCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/block_key.h"
#include "engine/model_runner.h"
#include "engine/prompt_content.h"
#include "engine/prompt_lookup.h"

namespace ocelli {

// The tokens of a prompt and of one answer to it, as the scheduler sees them:
//
//   | prompt                      | answer so far        | guesses |
//   | computed: KV in blocks                 | pending   |
//
// In steady decode one token, the newest, is pending.
class Sequence {
 public:
  // `order` ranks sequences: lower ones go first and are preempted last. The answer ends when there
  // are `max_tokens` tokens, the prompt's among them.
  Sequence(std::shared_ptr<const PromptContent> prompt, uint64_t order, size_t max_tokens,
           size_t max_draft_tokens);

  uint64_t order() const { return order_; }
  const PromptContent& prompt() const { return *prompt_; }
  const std::vector<TokenId>& token_ids() const { return token_ids_; }
  size_t max_tokens() const { return max_tokens_; }
  size_t num_tokens() const { return token_ids_.size() - num_guesses_; }
  size_t num_answer_tokens() const { return num_tokens() - prompt_->token_ids.size(); }
  std::span<const TokenId> answer() const {
    return std::span(token_ids_).subspan(prompt_->token_ids.size(), num_answer_tokens());
  }
  size_t num_pending() const { return num_tokens() - num_computed; }
  // Whether the next pass gives its next token and needs one row for it: a stream that waits.
  bool IsWriting() const { return num_pending() == 1 && num_answer_tokens() > 0; }

  // Appends a token of the answer in place of the guesses that are left.
  void AppendToken(TokenId id);
  // Appends guesses of what follows, at most `limit`.
  void Guess(size_t limit);
  size_t num_guesses() const { return num_guesses_; }
  TokenId guess(size_t i) const { return token_ids_[num_tokens() + i]; }
  // Drops the guesses and remembers how many were right.
  void EndGuesses(size_t num_guessed, size_t num_right);

  const std::vector<ContentUnit>& units() const { return units_; }  // [num_tokens()]
  // Returns the chain keys of the blocks that num_tokens() fill.
  std::span<const BlockKey> WholeKeys();
  // Returns the chain key of block `index`, which need not be full.
  BlockKey KeyOf(size_t index);
  // Returns the units of block `index` among the first `num_tokens` tokens.
  std::span<const ContentUnit> BlockUnits(size_t index, size_t num_tokens) const;

  // The picture whose image tokens come next or are being read, or null.
  const PictureRun* NextPicture() const;
  // Whether nothing can be computed before that picture is there.
  bool AtPicture() const;
  // Pending tokens that can be computed now.
  size_t NumReady() const;

  // What belongs to the scheduler.
  size_t num_computed = 0;                        // tokens whose KV is in `blocks`
  std::vector<KvBlockId> blocks;                  // in token order
  std::shared_ptr<const EncodedPicture> picture;  // of NextPicture(), while it is being read

 private:
  std::shared_ptr<const PromptContent> prompt_;
  uint64_t order_;
  size_t max_tokens_;
  PromptLookup lookup_;
  std::vector<TokenId> token_ids_;  // guesses at the end
  std::vector<ContentUnit> units_;  // without guesses
  std::vector<BlockKey> keys_;      // of the first whole blocks
  size_t num_guesses_ = 0;
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_SEQUENCE_H_
