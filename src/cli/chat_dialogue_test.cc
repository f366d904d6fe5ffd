#include "cli/chat_dialogue.h"

#include "gtest/gtest.h"

namespace ocelli::cli {
namespace {

UsedPicture Picture(const std::string& name) { return {name, std::make_shared<const Patches>()}; }

TEST(ChatDialogue, PicturesGoIntoTheNextMessageInOrder) {
  ChatDialogue dialogue("");
  const UsedPicture first = Picture("a");
  const UsedPicture second = Picture("b");
  dialogue.AddPicture(first);
  dialogue.AddPicture(second);
  dialogue.Ask("What differs?");
  ASSERT_EQ(dialogue.messages().size(), 1u);
  ASSERT_EQ(dialogue.messages()[0].content.size(), 3u);
  EXPECT_EQ(dialogue.messages()[0].content[2].text, "What differs?");
  EXPECT_EQ(dialogue.Pictures(), (std::vector{first.patches, second.patches}));
  EXPECT_EQ(dialogue.num_waiting_pictures(), 0u);
}

TEST(ChatDialogue, ATurnTakenBackKeepsItsPictures) {
  ChatDialogue dialogue("");
  dialogue.AddPicture(Picture("a"));
  dialogue.Ask("?");
  dialogue.Answered("!");
  const UsedPicture later = Picture("b");
  dialogue.AddPicture(later);
  dialogue.Ask("and this?");
  dialogue.TakeBack();
  EXPECT_EQ(dialogue.messages().size(), 2u);
  EXPECT_EQ(dialogue.Pictures().size(), 1u);
  EXPECT_EQ(dialogue.num_waiting_pictures(), 1u);
  dialogue.Ask("once more");
  EXPECT_EQ(dialogue.Pictures()[1], later.patches);
}

TEST(ChatDialogue, AnAnswerCanBeAskedForAgain) {
  ChatDialogue dialogue("Be brief.");
  EXPECT_FALSE(dialogue.Reopen());
  dialogue.Ask("?");
  EXPECT_FALSE(dialogue.Reopen());
  dialogue.Answered("!");
  EXPECT_TRUE(dialogue.Reopen());
  EXPECT_EQ(dialogue.messages().back().role, "user");
}

TEST(ChatDialogue, ClearKeepsTheSystemMessage) {
  ChatDialogue dialogue("Be brief.");
  dialogue.AddPicture(Picture("a"));
  dialogue.Ask("?");
  dialogue.AddPicture(Picture("b"));
  dialogue.Clear();
  ASSERT_EQ(dialogue.messages().size(), 1u);
  EXPECT_EQ(dialogue.messages()[0].role, "system");
  EXPECT_TRUE(dialogue.Pictures().empty());
  EXPECT_EQ(dialogue.num_waiting_pictures(), 0u);
}

}  // namespace
}  // namespace ocelli::cli
