#include "checkpoint/fingerprint.h"

#include "checkpoint/test_files.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

std::vector<SafetensorsFile> OpenOne(const std::filesystem::path& path) {
  std::vector<SafetensorsFile> files;
  files.push_back(std::move(SafetensorsFile::Open(path)).value());
  return files;
}

TEST(Fingerprint, FollowsContentNotPlace) {
  const testing::TestDirectory directory;
  const std::string bytes(4000, 'a');
  const std::string file = testing::Safetensors({{"w", "F32", {10, 100}, bytes}});
  std::string changed = file;
  changed.back() = 'b';
  const Fingerprint one = FingerprintOf(OpenOne(directory.Write("a.safetensors", file)));
  EXPECT_EQ(FingerprintOf(OpenOne(directory.Write("elsewhere/b.safetensors", file))), one);
  EXPECT_NE(FingerprintOf(OpenOne(directory.Write("c.safetensors", changed))), one);
}

}  // namespace
}  // namespace ocelli
