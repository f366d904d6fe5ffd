#include "checkpoint/chat_template_traits.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"

namespace ocelli {
namespace {

constexpr size_t kMaxTemplateBytes = size_t{1} << 20;
constexpr size_t kMaxTokenizerConfigBytes = size_t{16} << 20;

// What every template of the family writes.
constexpr std::array<std::string_view, 4> kMarks = {"<|im_start|>", "<|im_end|>",
                                                    "<|vision_start|>", "<|image_pad|>"};
// How system messages begin that templates of relatives put in when there is none.
constexpr std::array<std::string_view, 2> kOwnSystemMessages = {"You are a helpful assistant",
                                                                "You are Qwen"};

bool Has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Returns what stands behind the last "add_generation_prompt": the assistant's opening.
std::string_view Opening(std::string_view text) {
  const size_t at = text.rfind("add_generation_prompt");
  return at == text.npos ? std::string_view() : text.substr(at);
}

std::string Difference(std::string_view text) {
  for (const std::string_view mark : kMarks) {
    if (!Has(text, mark)) return fmt::format("never writes {}, so it is another family's", mark);
  }
  for (const std::string_view message : kOwnSystemMessages) {
    if (Has(text, message))
      return "adds a system message of its own (\"" + std::string(message) + "...\")";
  }
  if (Has(text, "enable_thinking")) return "has a switch for thinking (enable_thinking)";
  return "";
}

// Returns the text under "chat_template" of a JSON file; "" when there is none.
std::string TemplateInJson(const std::filesystem::path& path, size_t limit_bytes) {
  const Result<std::string> content = ReadFile(path, limit_bytes);
  if (!content.ok()) return "";
  const Result<nlohmann::json> json = ParseJson(*content);
  if (!json.ok() || !json->is_object()) return "";
  const auto found = json->find("chat_template");
  return found != json->end() && found->is_string() ? found->get<std::string>() : "";
}

std::string TemplateOf(const std::filesystem::path& directory) {
  Result<std::string> jinja = ReadFile(directory / "chat_template.jinja", kMaxTemplateBytes);
  if (jinja.ok()) return *std::move(jinja);
  std::string text = TemplateInJson(directory / "chat_template.json", kMaxTemplateBytes);
  if (!text.empty()) return text;
  return TemplateInJson(directory / "tokenizer_config.json", kMaxTokenizerConfigBytes);
}

}  // namespace

ChatTemplateTraits ExamineChatTemplate(std::string_view text) {
  ChatTemplateTraits traits;
  if (text.empty()) return traits;
  traits.difference = Difference(text);
  // As Jinja writes it: the line break is an escape inside a literal.
  const std::string_view opening = Opening(text);
  traits.opens_thinking =
      Has(opening, "assistant\\n<think>\\n") || Has(opening, "assistant\n<think>\n");
  return traits;
}

ChatTemplateTraits ReadChatTemplate(const std::filesystem::path& directory) {
  return ExamineChatTemplate(TemplateOf(directory));
}

}  // namespace ocelli
