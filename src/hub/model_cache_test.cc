#include "hub/model_cache.h"

#include "base/test_directory.h"
#include "checkpoint/test_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hub/file_lock.h"

namespace ocelli::hub {
namespace {

namespace fs = std::filesystem;

constexpr char kCommit[] = "0123456789012345678901234567890123456789";

class ModelCacheTest : public ::testing::Test {
 protected:
  // Writes a model as other tools leave it.
  void Add(const std::string& folder, const std::string& ref = "main") {
    directory_.Write(folder + "/blobs/aa", std::string(10'000, 'x'));
    directory_.Write(folder + "/refs/" + ref, kCommit);
    const fs::path snapshot = directory_.path() / folder / "snapshots" / kCommit;
    fs::create_directories(snapshot);
    fs::create_symlink("../../blobs/aa", snapshot / "config.json");
  }

  testing::TestDirectory directory_;
  ModelCache cache_{directory_.path()};
  RepoId repo_ = *ParseRepoId("Qwen/Tiny");
};

TEST_F(ModelCacheTest, FindsWhatOtherToolsFetched) {
  Add("models--Qwen--Tiny");
  EXPECT_EQ(*cache_.Find(repo_, "main"),
            directory_.path() / "models--Qwen--Tiny/snapshots" / kCommit);
  EXPECT_EQ(*cache_.Find(repo_, kCommit), *cache_.Find(repo_, "main"));
  EXPECT_EQ(cache_.Find(repo_, "v2").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(cache_.Find(*ParseRepoId("Qwen/Other"), "main").error().code, ErrorCode::kNotFound);
}

TEST_F(ModelCacheTest, ARefThatIsNoCommitLeadsNowhere) {
  Add("models--Qwen--Tiny");
  directory_.Write("models--Qwen--Tiny/refs/main", "../../../etc");
  EXPECT_FALSE(cache_.Find(repo_, "main").ok());
}

TEST_F(ModelCacheTest, LinksAndNamesARevision) {
  directory_.Write("models--Qwen--Tiny/blobs/bb", "content");
  ASSERT_TRUE(cache_.Link(repo_, kCommit, "config.json", "bb").ok());
  ASSERT_TRUE(cache_.SetRevision(repo_, "refs/pr/1", kCommit).ok());
  EXPECT_EQ(testing::ReadAll(*cache_.Find(repo_, "refs/pr/1") / "config.json"), "content");
  EXPECT_EQ(cache_.List().at(0).revisions, std::vector<std::string>{"refs/pr/1"});
}

TEST_F(ModelCacheTest, ListsModelsAndNothingElse) {
  Add("models--Qwen--Tiny");
  Add("models--Acme--Other", "v1");
  directory_.Write("models--Acme--Other/blobs/cc.ocelli-part", std::string(8192, 'x'));
  fs::create_directories(directory_.path() / "datasets--a--b");
  fs::create_directories(directory_.path() / "models--broken");
  const std::vector<CachedModel> models = cache_.List();
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0].repo.Text(), "Acme/Other");
  EXPECT_EQ(models[0].revisions, std::vector<std::string>{"v1"});
  EXPECT_GE(models[0].unfinished_bytes, 8192u);
  EXPECT_EQ(models[1].snapshot.filename(), kCommit);
  EXPECT_GE(models[1].disk_bytes, 10'000u);
  EXPECT_EQ(models[1].unfinished_bytes, 0u);
  EXPECT_TRUE(ModelCache(directory_.path() / "none").List().empty());
}

TEST_F(ModelCacheTest, RemovesAModelWithAllThatBelongsToIt) {
  Add("models--Qwen--Tiny");
  Add("models--Qwen--Other");
  directory_.Write(".locks/models--Qwen--Tiny/aa.lock", "");
  const auto bytes = cache_.Remove(repo_);
  ASSERT_TRUE(bytes.ok());
  EXPECT_GE(*bytes, 10'000u);
  EXPECT_FALSE(fs::exists(directory_.path() / "models--Qwen--Tiny"));
  EXPECT_FALSE(fs::exists(directory_.path() / ".locks/models--Qwen--Tiny"));
  EXPECT_TRUE(fs::exists(directory_.path() / "models--Qwen--Other/blobs/aa"));
  EXPECT_EQ(cache_.Remove(repo_).error().code, ErrorCode::kNotFound);
}

TEST_F(ModelCacheTest, DoesNotRemoveWhatIsBeingDownloaded) {
  Add("models--Qwen--Tiny");
  const auto lock = FileLock::Try(cache_.Lock(repo_, "aa"));
  ASSERT_TRUE(lock.ok() && lock->has_value());
  testing::ExpectError(cache_.Remove(repo_), ErrorCode::kUnavailable, {"being downloaded"});
  EXPECT_TRUE(cache_.Find(repo_, "main").ok());
}

TEST_F(ModelCacheTest, NeverFollowsLinksWhenItRemoves) {
  const fs::path precious = directory_.Write("elsewhere/precious", "x");
  Add("models--Qwen--Tiny");
  fs::create_directory_symlink(precious.parent_path(),
                               directory_.path() / "models--Qwen--Tiny/blobs/link");
  ASSERT_TRUE(cache_.Remove(repo_).ok());
  EXPECT_TRUE(fs::exists(precious));
  fs::create_directory_symlink(precious.parent_path(), directory_.path() / "models--Qwen--Tiny");
  EXPECT_EQ(cache_.Remove(repo_).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(fs::exists(precious));
}

TEST(RepoIdTest, TakesNamesThatAreSafeInPathsAndUrls) {
  EXPECT_EQ(ParseRepoId("Qwen/Qwen3-VL-2B-Instruct")->FolderName(),
            "models--Qwen--Qwen3-VL-2B-Instruct");
  for (const char* text : {"", "Qwen", "/x", "x/", "a/b/c", "../x", "a/..", "a/.b", "a/b c",
                           "a/b%2f", "a--b/c", "a/b--c", "-a/b", "a/b\n", "a/b?x", "a/\xc3\xa9"}) {
    EXPECT_EQ(ParseRepoId(text).error().code, ErrorCode::kInvalidArgument) << text;
  }
  EXPECT_FALSE(ParseRepoId("a/" + std::string(97, 'b')).ok());
  EXPECT_EQ(RepoOfFolder("models--a--b")->Text(), "a/b");
  EXPECT_FALSE(RepoOfFolder("datasets--a--b").has_value());
  EXPECT_FALSE(RepoOfFolder("models--a").has_value());
}

}  // namespace
}  // namespace ocelli::hub
