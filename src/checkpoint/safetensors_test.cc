#include "checkpoint/safetensors.h"

#include <numeric>

#include "checkpoint/test_files.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

using testing::ExpectError;
using testing::Mutated;
using testing::Safetensors;
using testing::TestDirectory;

constexpr ErrorCode kCorrupt = ErrorCode::kCorruptData;

// One f32 tensor "a" of two numbers, with the given fields in the place of the good ones.
std::string OneTensor(const std::string& fields) {
  return Safetensors("{\"a\":{" + fields + "}}", std::string(8, '\x01'));
}

// Reads every byte of every tensor and returns their sum, so that a wrong offset is caught.
uint64_t Checksum(const SafetensorsFile& file) {
  uint64_t sum = 0;
  for (const SafetensorsEntry& entry : file.entries()) {
    for (std::byte byte : file.Bytes(entry)) sum += static_cast<uint64_t>(byte);
  }
  return sum;
}

TEST(Safetensors, ReadsNamesFormatsShapesAndBytes) {
  const TestDirectory directory;
  const auto file = SafetensorsFile::Open(
      directory.Write("x.safetensors", Safetensors({{"b", "BF16", {2, 1}, "abcd"},
                                                    {"a", "F32", {}, "efgh"},
                                                    {"c", "F16", {0, 7}, ""},
                                                    {"d", "I64", {1}, "ijklmnop"}})));
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_EQ(file->entries().size(), 4u);
  const SafetensorsEntry* b = file->Find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->dtype, DType::kBf16);
  EXPECT_EQ(b->shape, (std::vector<size_t>{2, 1}));
  const auto bytes = file->Bytes(*b);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "abcd");
  EXPECT_EQ(file->Find("d")->dtype, std::nullopt);
  EXPECT_EQ(file->Find("d")->dtype_name, "I64");
  EXPECT_EQ(file->Find("e"), nullptr);
  EXPECT_EQ(file->Bytes(*file->Find("c")).size(), 0u);
}

TEST(Safetensors, AcceptsAHeaderPaddedWithBlanksAndNoTensors) {
  const TestDirectory directory;
  EXPECT_TRUE(SafetensorsFile::Open(directory.Write("x", Safetensors("{}      ", ""))).ok());
}

TEST(Safetensors, ReleasedBytesReadBackTheSame) {
  const TestDirectory directory;
  const auto file = SafetensorsFile::Open(
      directory.Write("x", Safetensors({{"a", "U8", {100'000}, std::string(100'000, 'q')}})));
  ASSERT_TRUE(file.ok());
  const uint64_t before = Checksum(*file);
  file->Release(file->Bytes(*file->Find("a")));
  EXPECT_EQ(Checksum(*file), before);
}

struct BadFile {
  std::string content;
  ErrorCode code;
  std::vector<std::string> words;
};

std::vector<BadFile> FilesThatAreSomethingElse() {
  return {
      {"", kCorrupt, {"is empty"}},
      {"abc", kCorrupt, {"too few for a header"}},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4255140312\n",
       kCorrupt,
       {"Git LFS pointer", "git lfs pull"}},
      {"<!DOCTYPE html><html><body>Sign in</body></html>", kCorrupt, {"HTML page"}},
      {"Entry not found", kCorrupt, {"error message"}},
      {std::string("PK\x03\x04\x14\x00\x00\x00\x08\x08 archive/data.pkl", 28),
       kCorrupt,
       {"PyTorch"}},
      {std::string("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8", 12), kCorrupt, {"pickle"}},
      {std::string("GGUF\x03\x00\x00\x00\x00\x00", 10), kCorrupt, {"GGUF"}},
      {std::string(1000, '\0'), kCorrupt, {"begins with zeros"}},
      {std::string(1000, '\xff'), ErrorCode::kTooLarge, {"limit is 100000000"}},
  };
}

std::vector<BadFile> FilesWithBadHeaders() {
  const std::string good = "\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]";
  const std::string b = ",\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":";
  return {
      {Safetensors("", ""), kCorrupt, {}},
      {Safetensors("[]", ""), kCorrupt, {"no header"}},
      {Safetensors("{\"a\"", ""), kCorrupt, {"not JSON"}},
      {Safetensors("{} x", ""), kCorrupt, {"not JSON"}},
      {Safetensors(" {}", ""), kCorrupt, {"no header"}},
      {Safetensors("{\"\xff\":{}}", ""), kCorrupt, {"not JSON"}},
      {Safetensors("{\"a\":1}", ""), kCorrupt, {"a number", "\"a\""}},
      {Safetensors("{\"a\":[1]}", ""), kCorrupt, {"a list"}},
      {Safetensors("{\"a\":null}", ""), kCorrupt, {"null"}},
      {Safetensors("{\"__metadata__\":{\"x\":{}}}", ""), kCorrupt, {"an object"}},
      {Safetensors("{\"__metadata__\":{\"x\":1}}", ""), kCorrupt, {"a number"}},
      {Safetensors("{\"__metadata__\":[]}", ""), kCorrupt, {"a list"}},
      {Safetensors("{\"a\":" + std::string(10'000, '[') + "}", ""), kCorrupt, {"a list"}},
      {Safetensors(std::string(10'000, '{'), ""), kCorrupt, {"not JSON"}},
      {OneTensor(""), kCorrupt, {"lacks dtype"}},
      {OneTensor("\"dtype\":\"F32\",\"shape\":[2]"), kCorrupt, {"\"a\" lacks"}},
      {OneTensor(good + ",\"shape\":[2]"), kCorrupt, {"the field \"shape\""}},
      {OneTensor(good + ",\"extra\":1"), kCorrupt, {"the field \"extra\""}},
      {OneTensor("\"dtype\":[],\"shape\":[2],\"data_offsets\":[0,8]"), kCorrupt, {"a list"}},
      {OneTensor("\"dtype\":\"F32\",\"shape\":2,\"data_offsets\":[0,8]"), kCorrupt, {"a number"}},
      {OneTensor("\"dtype\":\"F32\",\"shape\":[[2]],\"data_offsets\":[0,8]"), kCorrupt, {"a list"}},
      {OneTensor("\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]"),
       kCorrupt,
       {"negative"}},
      {OneTensor("\"dtype\":\"F32\",\"shape\":[2.0],\"data_offsets\":[0,8]"),
       kCorrupt,
       {"not whole"}},
      {OneTensor("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]"), kCorrupt, {"lacks"}},
      {OneTensor("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8,8]"), kCorrupt, {"third"}},
      {OneTensor("\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2],"
                 "\"data_offsets\":[0,8]"),
       kCorrupt,
       {"too many dimensions"}},
      {OneTensor("\"dtype\":\"F9\",\"shape\":[2],\"data_offsets\":[0,8]"),
       ErrorCode::kUnsupported,
       {"\"a\"", "\"F9\"", "BF16"}},
      {OneTensor("\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]"),
       kCorrupt,
       {"\"a\" has 8 bytes", "need 12"}},
      {OneTensor("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]"), kCorrupt, {"\"a\""}},
      {OneTensor("\"dtype\":\"F4\",\"shape\":[15],\"data_offsets\":[0,8]"), kCorrupt, {"need 8"}},
      {OneTensor("\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]"),
       kCorrupt,
       {"bytes 0 to 12 of 8", "cut short"}},
      {OneTensor("\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,8]"),
       kCorrupt,
       {"too large"}},
      {OneTensor("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[18446744073709551608,8]"),
       kCorrupt,
       {"\"a\""}},
      {OneTensor("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,18446744073709551616]"),
       kCorrupt,
       {"not whole"}},
      {OneTensor("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]"),
       kCorrupt,
       {"4 bytes follow its last tensor"}},
      {OneTensor("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]"),
       kCorrupt,
       {"begins at byte 4, after"}},
      {OneTensor(good + "}" + b + "[4,8]"), kCorrupt, {"\"b\" begins at byte 4, before"}},
      {OneTensor("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
                 "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]"),
       kCorrupt,
       {"tensor \"a\" twice"}},
  };
}

TEST(Safetensors, RefusesOtherFilesSayingWhatTheyAre) {
  const TestDirectory directory;
  for (const BadFile& bad : FilesThatAreSomethingElse()) {
    std::vector<std::string> words = bad.words;
    words.push_back("model.safetensors");
    ExpectError(SafetensorsFile::Open(directory.Write("model.safetensors", bad.content)), bad.code,
                words);
  }
}

TEST(Safetensors, RefusesBadHeadersSayingWhatIsWrong) {
  const TestDirectory directory;
  for (const BadFile& bad : FilesWithBadHeaders()) {
    SCOPED_TRACE(bad.content.substr(8));
    ExpectError(SafetensorsFile::Open(directory.Write("model.safetensors", bad.content)), bad.code,
                bad.words);
  }
}

TEST(Safetensors, AFileCutAnywhereIsRefused) {
  const TestDirectory directory;
  const std::string whole =
      Safetensors({{"a", "F32", {2}, "abcdefgh"}, {"b", "BF16", {3}, "ijklmn"}});
  for (size_t size = 0; size < whole.size(); ++size) {
    ExpectError(SafetensorsFile::Open(directory.Write("x", whole.substr(0, size))),
                ErrorCode::kCorruptData, {"x"});
  }
}

TEST(Safetensors, RefusesMissingFilesAndDirectories) {
  const TestDirectory directory;
  ExpectError(SafetensorsFile::Open(directory.path() / "no"), ErrorCode::kNotFound, {"no"});
  ExpectError(SafetensorsFile::Open(directory.path()), ErrorCode::kInvalidArgument, {"directory"});
}

TEST(Safetensors, SurvivesRandomDamage) {
  const TestDirectory directory;
  std::mt19937 random(2);
  const std::string good =
      Safetensors({{"model.norm.weight", "F32", {2}, "abcdefgh"}, {"b", "BF16", {3, 1}, "ijklmn"}});
  size_t refused = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto file = SafetensorsFile::Open(directory.Write("x", Mutated(good, random)));
    if (file.ok()) {
      Checksum(*file);
    } else {
      EXPECT_FALSE(file.error().message.empty());
      ++refused;
    }
  }
  EXPECT_GT(refused, 5'000u);
}

TEST(Safetensors, AHostileHeaderOfManyTensorsIsRefusedQuickly) {
  const TestDirectory directory;
  std::string header = "{";
  for (int i = 0; i < 200'000; ++i) {
    header +=
        "\"" + std::to_string(i) + "\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},";
  }
  const auto path = directory.Write("x", Safetensors(header, ""));
  const testing::CpuSecond second;
  ExpectError(SafetensorsFile::Open(path), ErrorCode::kTooLarge, {"more than 100000 tensors"});
}

}  // namespace
}  // namespace ocelli
