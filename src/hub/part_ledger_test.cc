#include "hub/part_ledger.h"

#include "base/test_directory.h"
#include "checkpoint/test_files.h"
#include "gtest/gtest.h"
#include "hub/digest.h"

namespace ocelli::hub {
namespace {

class PartLedgerTest : public ::testing::Test {
 protected:
  Result<PartLedger> Open(uint64_t size_bytes = 1050, size_t part_bytes = 100,
                          const std::string& digest = "d") {
    return PartLedger::Open(path_, size_bytes, part_bytes, digest);
  }

  testing::TestDirectory directory_;
  std::filesystem::path path_ = directory_.path() / "ledger";
  std::string hash_ = Sha256Hex("x");
};

TEST_F(PartLedgerTest, RemembersPartsAcrossProcesses) {
  {
    auto ledger = Open();
    ASSERT_TRUE(ledger.ok());
    EXPECT_EQ(ledger->num_parts(), 11u);
    EXPECT_EQ(ledger->Part(10).size(), 50u);
    EXPECT_EQ(ledger->MissingBytes(), 1050u);
    ASSERT_TRUE(ledger->Record(10, hash_).ok());
    ASSERT_TRUE(ledger->Record(3, hash_).ok());
  }
  auto ledger = Open();
  EXPECT_EQ(ledger->hash(10), hash_);
  EXPECT_EQ(ledger->hash(3), hash_);
  EXPECT_EQ(ledger->hash(4), "");
  EXPECT_EQ(ledger->MissingBytes(), 900u);
}

TEST_F(PartLedgerTest, TheLastLineAboutAPartCounts) {
  const std::string second = Sha256Hex("y");
  auto ledger = Open();
  ASSERT_TRUE(ledger->Record(1, hash_).ok() && ledger->Record(1, second).ok());
  EXPECT_EQ(Open()->hash(1), second);
}

TEST_F(PartLedgerTest, KeepsItsOwnPartSize) {
  ASSERT_TRUE(Open(1050, 100)->Record(0, hash_).ok());
  const auto ledger = Open(1050, 500);
  EXPECT_EQ(ledger->part_bytes(), 100u);
  EXPECT_EQ(ledger->hash(0), hash_);
}

TEST_F(PartLedgerTest, OfAnotherContentIsBegunAnew) {
  ASSERT_TRUE(Open()->Record(0, hash_).ok());
  EXPECT_EQ(Open(1051)->hash(0), "");
  ASSERT_TRUE(Open()->Record(0, hash_).ok());
  EXPECT_EQ(Open(1050, 100, "other")->hash(0), "");
}

TEST_F(PartLedgerTest, WhateverAKillOrABadDiskLeftIsReadUpToTheFirstFault) {
  auto ledger = Open();
  for (const size_t part : {0u, 1u, 2u}) ASSERT_TRUE(ledger->Record(part, hash_).ok());
  const std::string whole = testing::ReadAll(path_);
  for (size_t length = 0; length <= whole.size(); ++length) {
    directory_.Write("ledger", whole.substr(0, length));
    const auto cut = Open();
    ASSERT_TRUE(cut.ok());
    for (size_t part = 0; part < 11; ++part) {
      EXPECT_TRUE(cut->hash(part).empty() || (part < 3 && cut->hash(part) == hash_));
    }
  }
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    directory_.Write("ledger", testing::Mutated(whole, random));
    const auto mutated = Open();
    ASSERT_TRUE(mutated.ok());
    ASSERT_TRUE(mutated->num_parts() > 0 && mutated->MissingBytes() <= 1050);
  }
}

TEST_F(PartLedgerTest, AppendsAfterACutLine) {
  ASSERT_TRUE(Open()->Record(0, hash_).ok());
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 5);
  ASSERT_TRUE(Open()->Record(7, hash_).ok());
  const auto ledger = Open();
  EXPECT_EQ(ledger->hash(0), "");
  EXPECT_EQ(ledger->hash(7), hash_);
}

}  // namespace
}  // namespace ocelli::hub
