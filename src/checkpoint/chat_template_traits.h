#ifndef OCELLI_CHECKPOINT_CHAT_TEMPLATE_TRAITS_H_
#define OCELLI_CHECKPOINT_CHAT_TEMPLATE_TRAITS_H_

#include <filesystem>
#include <string>
#include <string_view>

namespace ocelli {

// What a checkpoint's chat template does that matters here. Ocelli does not run templates: it
// writes prompts as the published one of Qwen3-VL does, so a difference must be known.
struct ChatTemplateTraits {
  // The assistant's turn is opened with "<think>\n", so that the answer begins inside the
  // reasoning: the Thinking variants.
  bool opens_thinking = false;
  // How it differs from what Ocelli writes, as the end of a sentence that begins with the template:
  // "adds a system message of its own". Empty: in nothing that is recognised, or there is none.
  std::string difference;
};

// Recognises what the text of a Jinja template does.
ChatTemplateTraits ExamineChatTemplate(std::string_view text);

// Examines the template of a model's folder, looked for where transformers looks: in
// chat_template.jinja, chat_template.json, then tokenizer_config.json. One that is absent or not
// readable has no traits.
ChatTemplateTraits ReadChatTemplate(const std::filesystem::path& directory);

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_CHAT_TEMPLATE_TRAITS_H_
