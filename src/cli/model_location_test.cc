#include "cli/model_location.h"

#include <cstdlib>

#include "base/test_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ocelli::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr char kCommit[] = "0123456789012345678901234567890123456789";

class ModelLocationTest : public ::testing::Test {
 protected:
  ModelLocationTest() {
    setenv("HF_HUB_CACHE", directory_.path().c_str(), 1);
    unsetenv("OCELLI_MODEL");
    directory_.Write("models--Qwen--Tiny/refs/main", kCommit);
    directory_.Write("models--Qwen--Tiny/refs/v1", kCommit);
    snapshot_ = directory_.path() / "models--Qwen--Tiny/snapshots" / kCommit;
    fs::create_directories(snapshot_);
  }
  ~ModelLocationTest() override {
    unsetenv("HF_HUB_CACHE");
    unsetenv("OCELLI_MODEL");
  }

  testing::TestDirectory directory_;
  fs::path snapshot_;
};

TEST_F(ModelLocationTest, ANameLeadsToItsSnapshot) {
  EXPECT_EQ(*LocateModel("Qwen/Tiny", false), snapshot_);
  EXPECT_EQ(*LocateModel("Qwen/Tiny@v1", false), snapshot_);
  setenv("OCELLI_MODEL", "Qwen/Tiny", 1);
  EXPECT_EQ(*LocateModel("", false), snapshot_);
}

TEST_F(ModelLocationTest, AMissingModelSaysHowToGetIt) {
  const auto located = LocateModel("Qwen/Other", false);
  EXPECT_EQ(located.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(located.error().message, HasSubstr("`ocelli pull Qwen/Other` fetches it"));
  EXPECT_THAT(LocateModel("Qwen/Tiny@v2", false).error().message,
              HasSubstr("`ocelli pull Qwen/Tiny --revision v2`"));
}

TEST_F(ModelLocationTest, AFolderIsAFolder) {
  for (const char* folder : {"/a/b", "./a/b", "a", "a/b/c", "../b", "~/x"}) {
    EXPECT_EQ(*LocateModel(folder, false), folder);
  }
  const fs::path before = fs::current_path();
  fs::create_directories(directory_.path() / "Qwen/Tiny");
  fs::current_path(directory_.path());
  EXPECT_EQ(*LocateModel("Qwen/Tiny", false), "Qwen/Tiny");
  fs::current_path(before);
}

}  // namespace
}  // namespace ocelli::cli
