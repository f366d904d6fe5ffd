#include "cli/ocr_inputs.h"

#include <string>
#include <vector>

#include "base/test_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ocelli::cli {
namespace {

using ::testing::ElementsAre;

class OcrInputsTest : public ::testing::Test {
 protected:
  std::vector<std::string> NamesOf(const std::vector<std::string>& arguments) {
    std::vector<std::string> names;
    const std::vector<OcrInput> inputs = ListOcrInputs(arguments).value();
    for (const OcrInput& input : inputs) names.push_back(input.name);
    return names;
  }
  std::string Path(const std::string& name) const { return (directory_.path() / name).string(); }

  testing::TestDirectory directory_;
};

TEST_F(OcrInputsTest, FoldersGiveTheirPicturesInOrderAndKeepTheirShape) {
  for (const char* name : {"b.png", "a.JPG", "notes.txt", "sub/deep/c.tiff", "sub/a.webp", "x"})
    directory_.Write(name, "");
  EXPECT_THAT(NamesOf({directory_.path().string()}),
              ElementsAre("a.JPG", "b.png", "sub/a.webp", "sub/deep/c.tiff"));
  EXPECT_THAT(NamesOf({Path("sub") + "/"}), ElementsAre("a.webp", "deep/c.tiff"));
}

TEST_F(OcrInputsTest, AFileIsTakenAsItIsAndOnlyOnce) {
  directory_.Write("scan.dat", "");
  directory_.Write("sub/a.png", "");
  EXPECT_THAT(NamesOf({Path("scan.dat"), Path("sub/../scan.dat"), Path("sub/a.png"), Path("sub")}),
              ElementsAre("scan.dat", "a.png"));
  EXPECT_THAT(NamesOf({Path("missing.png")}), ElementsAre("missing.png"));
}

TEST_F(OcrInputsTest, NothingToReadIsAMistake) {
  const auto none = ListOcrInputs({directory_.path().string()});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace ocelli::cli
