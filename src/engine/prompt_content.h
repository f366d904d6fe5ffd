#ifndef OCELLI_ENGINE_PROMPT_CONTENT_H_
#define OCELLI_ENGINE_PROMPT_CONTENT_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "base/error.h"
#include "engine/block_key.h"
#include "engine/model_runner.h"
#include "engine/request.h"
#include "model/mrope.h"

namespace ocelli {

// A picture's place in a prompt.
struct PictureRun {
  size_t begin = 0;  // first image token
  size_t end = 0;    // past the last one
  std::shared_ptr<const Patches> patches;
};

// A prompt, checked; shared by all its answers.
struct PromptContent {
  std::vector<TokenId> token_ids;
  std::vector<ContentUnit> units;  // [token_ids.size()]
  std::vector<PictureRun> runs;    // in order
  RopeIndex rope_index;

  size_t num_image_tokens() const;
};

// Finds the pictures of a request among its tokens.
// **Errors**: kInvalidArgument for an empty prompt, for ids outside the vocabulary, and for image
// tokens that do not fit the pictures one by one; kTooLarge for a picture above max_image_tokens.
// **Threads**: any.
Result<std::shared_ptr<const PromptContent>> MakePromptContent(const GenerateRequest& request,
                                                               const ModelTraits& traits);

}  // namespace ocelli

#endif  // OCELLI_ENGINE_PROMPT_CONTENT_H_
