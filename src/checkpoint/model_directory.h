#ifndef OCELLI_CHECKPOINT_MODEL_DIRECTORY_H_
#define OCELLI_CHECKPOINT_MODEL_DIRECTORY_H_

#include <filesystem>

#include "base/error.h"
#include "checkpoint/chat_template_traits.h"
#include "checkpoint/generation_config.h"
#include "checkpoint/model_config.h"
#include "checkpoint/preprocessor_config.h"

namespace ocelli {

// Everything that a published model's directory says except its weights.
struct ModelDirectory {
  // Reads config.json (required), generation_config.json and preprocessor_config.json (optional)
  // and checks that they agree. **Errors**: kNotFound for no such directory or no config.json, and
  // as the three parsers.
  static Result<ModelDirectory> Open(const std::filesystem::path& path);

  std::filesystem::path path;
  ModelConfig config;
  GenerationConfig generation_config;  // eos_token_ids filled from config when it does not say
  PreprocessorConfig preprocessor_config;
  ChatTemplateTraits chat_template;
  std::filesystem::path tokenizer_path;  // tokenizer.json, whether or not it exists
};

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_MODEL_DIRECTORY_H_
