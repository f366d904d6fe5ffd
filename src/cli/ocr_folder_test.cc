#include "cli/ocr_folder.h"

#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "base/test_directory.h"
#include "gtest/gtest.h"

namespace ocelli::cli {
namespace {

using api::OcrFormat;
using nlohmann::json;

api::OcrPage PageOf(const std::string& text) {
  api::OcrPage page;
  page.text = text;
  page.lines = {{text, 0.5}};
  return page;
}

class OcrFolderTest : public ::testing::Test {
 protected:
  std::unique_ptr<OcrFolder> Open(const std::vector<OcrInput>& inputs) {
    return std::move(OcrFolder::Open(out_, {OcrFormat::kText, OcrFormat::kJson}, inputs)).value();
  }
  std::string Read(const std::string& name) const {
    const auto content = ReadFile(out_ / name, 1 << 20);
    return content.ok() ? *content : "(none)";
  }

  testing::TestDirectory directory_;
  std::filesystem::path out_ = directory_.path() / "out";
};

TEST_F(OcrFolderTest, EveryPictureHasOutputsOfItsOwn) {
  const std::vector<OcrInput> inputs = {{"/x/a.png", "a.png", ""},
                                        {"/y/a.png", "a.png", ""},
                                        {"/x/a.jpg", "a.jpg", ""},
                                        {"/z/manifest", "manifest", ""},
                                        {"/d/.ocelli/pages/k", ".ocelli/pages/k", ""},
                                        {"/d/s/a.png", "s/a.png", ""}};
  const auto folder = Open(inputs);
  for (const OcrInput& input : inputs)
    ASSERT_TRUE(folder->WriteOutputs(input, "k", PageOf(input.path.string())).ok());
  EXPECT_EQ(Read("a.png.txt"), "/x/a.png\n");
  EXPECT_EQ(Read("a-2.png.txt"), "/y/a.png\n");
  EXPECT_EQ(Read("a.jpg.txt"), "/x/a.jpg\n");
  EXPECT_EQ(Read("manifest-2.txt"), "/z/manifest\n");
  EXPECT_EQ(Read("_.ocelli/pages/k.txt"), "/d/.ocelli/pages/k\n");
  EXPECT_EQ(Read("s/a.png.txt"), "/d/s/a.png\n");
}

TEST_F(OcrFolderTest, ALaterRunKeepsTheNamesOfTheFirst) {
  const OcrInput first{"/x/a.png", "a.png", ""};
  const OcrInput second{"/y/a.png", "a.png", ""};
  ASSERT_TRUE(Open({first})->WriteOutputs(first, "k", PageOf("first")).ok());
  const auto folder = Open({second, first});
  ASSERT_TRUE(folder->WriteOutputs(second, "k", PageOf("second")).ok());
  ASSERT_TRUE(folder->WriteOutputs(first, "k", PageOf("first")).ok());
  EXPECT_EQ(Read("a.png.txt"), "first\n");
  EXPECT_EQ(Read("a-2.png.txt"), "second\n");
}

TEST_F(OcrFolderTest, PagesThatWereKeptAreFoundAndBrokenOnesAreNot) {
  const auto folder = Open({});
  ASSERT_TRUE(folder->KeepPage("key", PageOf("kept")).ok());
  EXPECT_EQ(folder->FindPage("key")->text, "kept");
  EXPECT_FALSE(folder->FindPage("other").has_value());
  directory_.Write("out/.ocelli/pages/bad.json", "{\"text\": ");
  EXPECT_FALSE(folder->FindPage("bad").has_value());
}

TEST_F(OcrFolderTest, TheManifestSaysWhatCameOfEachPicture) {
  const std::vector<OcrInput> inputs = {
      {"/x/a.png", "a.png", ""}, {"/x/b.png", "b.png", ""}, {"/x/c\xff.png", "c\xff.png", ""}};
  const auto folder = Open(inputs);
  api::OcrPage page = PageOf("a");
  page.warnings = {"shrunk"};
  ASSERT_TRUE(folder->WriteOutputs(inputs[0], "k", page).ok());
  folder->NoteFailure(inputs[1], "broken");
  ASSERT_TRUE(folder->WriteManifest().ok());
  const json pages = json::parse(Read("manifest.json"))["pages"];
  ASSERT_EQ(pages.size(), 3u);
  EXPECT_EQ(pages[0]["state"], "done");
  EXPECT_EQ(pages[0]["warnings"][0], "shrunk");
  EXPECT_EQ(pages[1]["error"], "broken");
  EXPECT_EQ(pages[2]["state"], "waiting");
  EXPECT_EQ(pages[2]["output"], "c\\xff.png");
}

TEST_F(OcrFolderTest, AManifestOfSomethingElseIsReplaced) {
  directory_.Write("out/manifest.json", "[1, 2]");
  const OcrInput input{"/x/a.png", "a.png", ""};
  ASSERT_TRUE(Open({input})->WriteOutputs(input, "k", PageOf("a")).ok());
  EXPECT_EQ(Read("a.png.txt"), "a\n");
}

TEST_F(OcrFolderTest, OneRunAtATimeWritesThere) {
  const auto folder = Open({});
  const auto other = OcrFolder::Open(out_, {OcrFormat::kText}, {});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace ocelli::cli
