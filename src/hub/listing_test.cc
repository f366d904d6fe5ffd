#include "hub/listing.h"

#include "checkpoint/test_files.h"
#include "gtest/gtest.h"

namespace ocelli::hub {
namespace {

// The shape of the hub's answer as published for models with large files.
constexpr char kHuggingFace[] = R"({
  "_id": "x", "id": "Qwen/Tiny", "private": false, "gated": false,
  "sha": "0123456789abcdef0123456789abcdef01234567",
  "siblings": [
    {"rfilename": ".gitattributes", "size": 1519, "blobId": "a6344aac8c09253b3b630fb776ae94478aa0275b"},
    {"rfilename": "config.json", "size": 1451, "blobId": "4f55e6ad1a0a3cd9bd4ce8a2c6ce4d1c0f4b4b93"},
    {"rfilename": "model.safetensors", "size": 4255140312,
     "blobId": "ab6344aac8c09253b3b630fb776ae94478aa0275",
     "lfs": {"sha256": "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855",
             "size": 4255140312, "pointerSize": 135}},
    {"rfilename": "pytorch_model.bin", "size": 5, "blobId": "4f55e6ad1a0a3cd9bd4ce8a2c6ce4d1c0f4b4b93"}]})";

TEST(ListingTest, ReadsHuggingFacesAnswer) {
  const auto listing = ParseHuggingFaceListing(kHuggingFace);
  ASSERT_TRUE(listing.ok());
  EXPECT_EQ(listing->commit, "0123456789abcdef0123456789abcdef01234567");
  ASSERT_EQ(listing->files.size(), 2u);
  EXPECT_EQ(listing->Find("config.json")->digest.kind, DigestKind::kGitBlob);
  const RemoteFile& weights = *listing->Find("model.safetensors");
  EXPECT_EQ(weights.size_bytes, 4255140312u);
  EXPECT_EQ(weights.digest.kind, DigestKind::kSha256);
  EXPECT_EQ(weights.digest.hex.substr(0, 8), "e3b0c442");
  EXPECT_TRUE(listing->other_weights);
}

TEST(ListingTest, ReadsModelScopesAnswer) {
  constexpr char kAnswer[] = R"({"Code": 200, "Data": {"Files": [
      {"Name": "assets", "Path": "assets", "Type": "tree", "Size": 0},
      {"Name": "config.json", "Path": "config.json", "Type": "blob", "Size": 7,
       "Sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"Name": "x.json", "Path": "assets/config.json", "Type": "blob", "Size": 7, "Sha256": ""}]},
      "Message": "success", "Success": true})";
  const auto listing = ParseModelScopeListing(kAnswer);
  ASSERT_TRUE(listing.ok());
  ASSERT_EQ(listing->files.size(), 1u);
  EXPECT_EQ(listing->files[0].size_bytes, 7u);
  EXPECT_EQ(listing->commit.size(), 40u);
  testing::ExpectError(ParseModelScopeListing(R"({"Code": 404, "Message": "no such thing"})"),
                       ErrorCode::kNotFound, {"no such thing"});
}

TEST(ListingTest, WhateverElseComesIsRefused) {
  for (const char* text : {"", "[]", "{}", "null", "<html>", R"({"sha": "x", "siblings": []})",
                           R"({"sha": "0123456789abcdef0123456789abcdef01234567"})",
                           R"({"Code": 200})", R"({"Code": 200, "Data": {"Files": 7}})"}) {
    EXPECT_EQ(ParseHuggingFaceListing(text).error().code, ErrorCode::kCorruptData) << text;
    EXPECT_FALSE(ParseModelScopeListing(text).ok()) << text;
  }
}

TEST(ListingTest, SurvivesDamagedAnswers) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const auto listing = ParseHuggingFaceListing(testing::Mutated(kHuggingFace, random));
    if (!listing.ok()) continue;
    for (const RemoteFile& file : listing->files) EXPECT_TRUE(IsWantedFile(file.path));
  }
}

TEST(ListingTest, OnlyKnownPlainNamesAreWanted) {
  for (const char* name : {"config.json", "tokenizer.json", "chat_template.jinja",
                           "model-00001-of-00002.safetensors", "model.safetensors.index.json"}) {
    EXPECT_TRUE(IsWantedFile(name)) << name;
  }
  for (const char* name :
       {"", "README.md", "a/config.json", "../config.json", ".config.json", "model.bin",
        "a b.safetensors", "x\n.safetensors", "c:x.safetensors", "vocab.json"}) {
    EXPECT_FALSE(IsWantedFile(name)) << name;
  }
}

TEST(DigestTest, AreThoseOfGitAndSha256sum) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Hasher git(DigestKind::kGitBlob, 6);
  git.Update("hel");
  git.Update("lo\n");
  EXPECT_EQ(git.Finish(), "ce013625030ba8dba906f756967f9e9ca394464a");  // git hash-object
  EXPECT_EQ(ParseDigest("xyz").hex, "");
  EXPECT_EQ(ParseDigest(std::string(64, 'g')).hex, "");
}

}  // namespace
}  // namespace ocelli::hub
