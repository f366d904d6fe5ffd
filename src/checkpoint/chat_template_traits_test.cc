#include "checkpoint/chat_template_traits.h"

#include "checkpoint/test_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

using ::testing::HasSubstr;

// A template with the marks of the family, whose assistant is opened by `opening`.
std::string Template(std::string_view opening, std::string_view system = "") {
  return "{%- for m in messages %}{{- '<|im_start|>' + m.role + '\\n' }}" + std::string(system) +
         "{{- '<|vision_start|><|image_pad|><|vision_end|>' }}{{- '<|im_end|>\\n' }}{%- endfor %}"
         "{%- if add_generation_prompt %}\n    {{- '<|im_start|>assistant\\n" +
         std::string(opening) + "' }}\n{%- endif %}";
}

TEST(ChatTemplateTraitsTest, OfAnInstructModelNothingDiffers) {
  const ChatTemplateTraits traits = ExamineChatTemplate(Template(""));
  EXPECT_FALSE(traits.opens_thinking);
  EXPECT_EQ(traits.difference, "");
}

TEST(ChatTemplateTraitsTest, AThinkingModelOpensWithItsReasoning) {
  const ChatTemplateTraits traits = ExamineChatTemplate(Template("<think>\\n"));
  EXPECT_TRUE(traits.opens_thinking);
  EXPECT_EQ(traits.difference, "");
  // Reasoning in earlier turns alone is no such opening.
  EXPECT_FALSE(ExamineChatTemplate(Template("", "{{- 'assistant\\n<think>\\n' }}")).opens_thinking);
}

TEST(ChatTemplateTraitsTest, DifferencesAreNamed) {
  EXPECT_THAT(ExamineChatTemplate("{{ '[INST]' }}").difference, HasSubstr("another family"));
  EXPECT_THAT(ExamineChatTemplate(Template("", "You are a helpful assistant.")).difference,
              HasSubstr("system message of its own"));
  EXPECT_THAT(ExamineChatTemplate(Template("", "{% if enable_thinking %}")).difference,
              HasSubstr("enable_thinking"));
}

TEST(ChatTemplateTraitsTest, IsFoundWhereTransformersLooks) {
  const testing::TestDirectory directory;
  EXPECT_FALSE(ReadChatTemplate(directory.path()).opens_thinking);
  const auto write = [&](const char* name, const std::string& opening) {
    directory.Write(name, nlohmann::json{{"chat_template", Template(opening)}}.dump());
  };
  write("tokenizer_config.json", "<think>\\n");
  EXPECT_TRUE(ReadChatTemplate(directory.path()).opens_thinking);
  write("chat_template.json", "");
  EXPECT_FALSE(ReadChatTemplate(directory.path()).opens_thinking);
  directory.Write("chat_template.jinja", Template("<think>\\n"));
  EXPECT_TRUE(ReadChatTemplate(directory.path()).opens_thinking);
}

TEST(ChatTemplateTraitsTest, WhatCannotBeReadHasNoTraits) {
  const testing::TestDirectory directory;
  for (const char* content : {"", "[]", "{", "{\"chat_template\": 7}", "\xff\xfe"}) {
    directory.Write("chat_template.json", content);
    EXPECT_EQ(ReadChatTemplate(directory.path()).difference, "");
  }
}

}  // namespace
}  // namespace ocelli
