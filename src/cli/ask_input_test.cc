#include "cli/ask_input.h"

#include "gtest/gtest.h"

namespace ocelli::cli {
namespace {

TEST(AskInput, TheLastArgumentIsTheQuestion) {
  const auto conversation = ConversationFromArguments({"a.png", "b.jpg", "What differs?"});
  ASSERT_TRUE(conversation.ok());
  ASSERT_EQ(conversation->pictures.size(), 2u);
  EXPECT_EQ(conversation->pictures[1].url, "b.jpg");
  ASSERT_EQ(conversation->messages[0].content.size(), 3u);
  EXPECT_EQ(conversation->messages[0].content[2].text, "What differs?");
}

TEST(AskInput, AQuestionAloneNeedsNoPicture) {
  const auto conversation = ConversationFromArguments({"Hello?"});
  ASSERT_TRUE(conversation.ok());
  EXPECT_TRUE(conversation->pictures.empty());
}

TEST(AskInput, APictureWithoutAQuestionIsRefusedByName) {
  const auto conversation = ConversationFromArguments({OCELLI_SOURCE_DIR "/LICENSE"});
  ASSERT_FALSE(conversation.ok());
  EXPECT_NE(conversation.error().message.find("no question follows it"), std::string::npos);
  EXPECT_FALSE(ConversationFromArguments({}).ok());
}

class LoadPictureTest : public ::testing::Test {
 protected:
  std::string ErrorOf(const std::string& url) {
    api::PictureReference picture;
    picture.url = url;
    picture.param = "picture 1";
    const auto patches =
        LoadPicture(picture, DecodeLimits(), ProcessorOptions(), PictureOptions(), pool_);
    return patches.ok() ? "no error" : patches.error().param + " | " + patches.error().message;
  }
  ThreadPool pool_{1};
};

TEST_F(LoadPictureTest, EveryFailureNamesThePicture) {
  EXPECT_NE(ErrorOf("/nowhere/x.png").find("picture 1 | picture 1 (/nowhere/x.png): cannot open"),
            std::string::npos);
  EXPECT_NE(ErrorOf("https://example.org/x.png").find("not fetched"), std::string::npos);
  EXPECT_NE(ErrorOf(OCELLI_SOURCE_DIR "/LICENSE").find("picture 1"), std::string::npos);
  EXPECT_NE(ErrorOf("").find("picture 1 (no URL): a 'uuid' alone names"), std::string::npos);
  EXPECT_NE(ErrorOf("data:image/png;base64,%%%").find("picture 1 (data URL): not base64"),
            std::string::npos);
}

TEST_F(LoadPictureTest, TakesPathsAndFileUrls) {
  const std::string path = OCELLI_SOURCE_DIR "/tests/golden/data/tied/small/picture_0.png";
  EXPECT_EQ(ErrorOf(path), "no error");
  EXPECT_EQ(ErrorOf("file://" + path), "no error");
  EXPECT_EQ(ErrorOf("file://localhost" + path), "no error");
}

TEST_F(LoadPictureTest, FileUrlsAreDecodedAndPathsAreNot) {
  EXPECT_NE(ErrorOf("file:///no%20such%2").find("cannot open /no such%2:"), std::string::npos);
  EXPECT_NE(ErrorOf("/no%20such").find("cannot open /no%20such:"), std::string::npos);
}

}  // namespace
}  // namespace ocelli::cli
