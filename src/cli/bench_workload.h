#ifndef OCELLI_CLI_BENCH_WORKLOAD_H_
#define OCELLI_CLI_BENCH_WORKLOAD_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/session.h"
#include "engine/request.h"
#include "picture/patches.h"
#include "picture/rgb_image.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace ocelli::cli {

// What each client of `ocelli bench serve` does.
struct BenchWorkload {
  std::vector<SizePx> pictures = {{336, 336}};  // of the conversations, in turn; 0x0: none
  size_t conversations = 1;                     // of each client, one after the other
  size_t turns = 2;                             // of each conversation, all about its picture
  size_t prompt_tokens = 32;                    // about so many in each question
  size_t answer_tokens = 32;                    // exactly so many in each answer
  uint64_t seed = 1;
};

// Reads "336x336", or "none". **Errors**: kInvalidArgument.
Result<SizePx> ParsePictureSize(std::string_view text);

// One conversation of a client that asks made-up questions about a made-up picture. Each turn's
// prompt goes on where the last answer ended, token for token, as it does when a trained model's
// answer comes back as text; made-up weights write no text that would become the same tokens.
class BenchConversation {
 public:
  // `number` makes it unlike any other. **Errors**: those of PreparePicture.
  static Result<BenchConversation> Make(const BenchWorkload& workload, uint64_t number,
                                        const SessionFiles& files);

  // Returns the request of the next turn. **Errors**: those of MakeGenerateRequest.
  Result<GenerateRequest> Ask();
  // Takes the answer to it into the conversation.
  void Answered(std::span<const TokenId> answer);

 private:
  BenchConversation(const BenchWorkload& workload, uint64_t seed, const SessionFiles& files);
  std::string Question();
  Result<std::vector<TokenId>> Render(std::vector<ChatMessage> messages,
                                      bool add_generation_prompt) const;
  Result<std::vector<TokenId>> FollowUp(const ChatMessage& question) const;

  BenchWorkload workload_;
  std::mt19937_64 random_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  TokenId image_token_id_;
  std::shared_ptr<const Patches> picture_;  // null: none
  std::vector<TokenId> token_ids_;          // of all that was said
};

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_BENCH_WORKLOAD_H_
