#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/test_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "run_program.h"

// `ocelli ocr` as a person or a script runs it, and pictures that are enhanced.

namespace ocelli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

const fs::path kPictures = fs::path(OCELLI_SOURCE_DIR) / "tests/embedded/pictures";
const fs::path kHello = fs::path(OCELLI_SOURCE_DIR) / "examples/hello.png";

// Some pictures of words and lines, no two alike.
std::vector<std::string> Pictures(size_t count) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(kPictures)) {
    if (entry.path().extension() == ".png") paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  paths.resize(std::min(count, paths.size()));
  return paths;
}

std::string Read(const fs::path& path) {
  const auto content = ReadFile(path, size_t{1} << 24);
  return content.ok() ? *content : "(none)";
}

// A white picture without anything on it.
std::string BlankBmp() {
  constexpr int kSide = 64;
  std::string bmp("BM", 2);
  const auto u32 = [&bmp](uint32_t value) {
    for (int i = 0; i < 4; ++i) bmp += static_cast<char>(value >> (8 * i));
  };
  u32(54 + kSide * kSide * 3);
  u32(0);
  u32(54);
  u32(40);
  u32(kSide);
  u32(kSide);
  bmp += std::string("\1\0\x18\0", 4);
  for (int i = 0; i < 6; ++i) u32(0);
  return bmp + std::string(kSide * kSide * 3, '\xff');
}

// Every file below `folder` that a run leaves, by its name.
std::map<std::string, std::string> FilesOf(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[entry.path().lexically_relative(folder).string()] = Read(entry.path());
    }
  }
  return files;
}

// When each page that has been read was written: it is written once.
std::map<std::string, std::pair<ino_t, int64_t>> PagesOf(const fs::path& folder) {
  std::map<std::string, std::pair<ino_t, int64_t>> pages;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder / ".ocelli/pages", ignored)) {
    struct stat info {};
    if (stat(entry.path().c_str(), &info) != 0) continue;
    pages[entry.path().string()] = {
        info.st_ino, info.st_mtim.tv_sec * int64_t{1'000'000'000} + info.st_mtim.tv_nsec};
  }
  return pages;
}

class Ocr : public ::testing::Test {
 protected:
  ProgramResult Run(std::vector<std::string> arguments, const ProgramInput& input = {}) {
    arguments.insert(arguments.begin(), "ocr");
    arguments.insert(arguments.end(), {"-o", out_.string(), "--max-new-tokens", "24"});
    return RunOcelli(arguments, input);
  }
  json Manifest() const { return json::parse(Read(out_ / "manifest.json"))["pages"]; }

  testing::TestDirectory directory_;
  fs::path out_ = directory_.path() / "out";
};

TEST_F(Ocr, ReadsWhatAskReads) {
  ASSERT_EQ(Run({kHello.string(), "--format", "txt,json,csv,md"}).exit_code, 0);
  const ProgramResult asked =
      RunOcelli({"ask", kHello.string(), "请逐行提取图中所有可见文字", "--temperature", "0"});
  EXPECT_EQ(Read(out_ / "hello.png.txt"), asked.out);
  const json page = json::parse(Read(out_ / "hello.png.json"));
  EXPECT_EQ(page["file"], kHello.string());
  EXPECT_EQ(page["text"].get<std::string>() + "\n", asked.out);
  EXPECT_GT(page["lines"][0]["confidence"], 0.1);
  EXPECT_LE(page["lines"][0]["confidence"], 1);
  EXPECT_THAT(Read(out_ / "hello.png.csv"), HasSubstr("file,line,text,confidence\r\n"));
  EXPECT_EQ(Read(out_ / "hello.png.md"), asked.out);
}

TEST_F(Ocr, KilledAtAnyMomentTheNextRunsEndAsIfNothingHad) {
  std::vector<std::string> arguments = Pictures(24);
  arguments.insert(arguments.end(), {"--format", "txt,md,json,csv"});
  ProgramInput patient;
  patient.kill_after = std::chrono::minutes(5);  // slow under the sanitizers
  const ProgramResult undisturbed = Run(arguments, patient);
  ASSERT_EQ(undisturbed.exit_code, 0) << undisturbed.err;
  const auto expected = FilesOf(out_);
  fs::remove_all(out_);

  std::mt19937 random(20240607);
  std::uniform_real_distribution<double> part(0.05, 0.6);
  ProgramResult last;
  int killed = 0;
  for (int run = 0; run < 6; ++run) {
    ProgramInput input = patient;
    if (run < 5) {
      input.kill_after =
          std::chrono::milliseconds(static_cast<int>(1000 * undisturbed.seconds * part(random)));
    }
    const auto before = PagesOf(out_);
    last = Run(arguments, input);
    killed += last.exit_code == 128 + 9;
    const auto after = PagesOf(out_);
    for (const auto& [name, written] : before) {
      EXPECT_TRUE(after.contains(name) && after.at(name) == written) << name << " was done twice";
    }
  }
  EXPECT_GT(killed, 0);
  ASSERT_EQ(last.exit_code, 0) << last.err;
  auto files = FilesOf(out_);
  files.erase(".ocelli/fresh");  // what the last killed run was writing
  EXPECT_EQ(files, expected);
}

TEST_F(Ocr, FailuresAreListedAndTheOthersAreRead) {
  const auto broken = directory_.Write("in/broken.png", "\x89PNG\r\n\x1a\n and then nothing");
  directory_.Write("in/empty.jpg", "");
  fs::copy_file(kHello, directory_.path() / "in/hello.png");
  const ProgramResult some = Run({(directory_.path() / "in").string(), "/nowhere/x.png"});
  EXPECT_EQ(some.exit_code, 3);
  EXPECT_THAT(some.err, HasSubstr("3 of 4 pictures could not be read"));
  EXPECT_THAT(some.err, HasSubstr("broken.png: failed: "));
  EXPECT_THAT(Read(out_ / "hello.png.txt"), HasSubstr("\n"));
  for (const json& page : Manifest())
    EXPECT_EQ(page["state"], page["output"] == "hello.png" ? "done" : "failed");
  EXPECT_EQ(Run({broken.string()}).exit_code, 1);
  EXPECT_EQ(Run({"--format", "txt"}).exit_code, 2);
  EXPECT_EQ(Run({broken.string(), "--format", "docx"}).exit_code, 2);
}

TEST_F(Ocr, ABlankPageIsAnEmptyResult) {
  const auto blank = directory_.Write("blank.bmp", BlankBmp());
  const ProgramResult result = Run({blank.string(), "--format", "txt,json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Read(out_ / "blank.bmp.txt"), "");
  const json page = json::parse(Read(out_ / "blank.bmp.json"));
  EXPECT_EQ(page["warnings"], json({"blank"}));
  EXPECT_EQ(page["completion_tokens"], 0);
  EXPECT_TRUE(page["lines"].empty());
}

TEST_F(Ocr, PathsComeFromStandardInputAndKeepNamesApart) {
  const auto pictures = Pictures(2);
  for (const char* name : {"x", "y"}) fs::create_directories(directory_.path() / name);
  fs::copy_file(pictures[0], directory_.path() / "x/a.png");
  fs::copy_file(pictures[1], directory_.path() / "y/a.png");
  ProgramInput input;
  input.standard_input = (directory_.path() / "x/a.png").string() + "\n\n" +
                         (directory_.path() / "y/a.png").string() + "\r\n";
  ASSERT_EQ(Run({"-"}, input).exit_code, 0);
  EXPECT_NE(Read(out_ / "a.png.txt"), Read(out_ / "a-2.png.txt"));
  EXPECT_EQ(Manifest().size(), 2u);
}

TEST_F(Ocr, WhatWasReadIsNotReadAgainUnlessAnOptionChanged) {
  const std::string picture = Pictures(1)[0];
  EXPECT_THAT(Run({picture}).err, HasSubstr("1 read now, 0 there before"));
  EXPECT_THAT(Run({picture}).err, HasSubstr("0 read now, 1 there before"));
  fs::remove(out_ / (fs::path(picture).filename().string() + ".txt"));
  EXPECT_THAT(Run({picture}).err, HasSubstr("0 read now, 1 there before"));
  EXPECT_TRUE(fs::exists(out_ / (fs::path(picture).filename().string() + ".txt")));
  EXPECT_THAT(Run({picture, "--max-side", "64"}).err, HasSubstr("1 read now, 0 there before"));
  EXPECT_THAT(Run({picture, "--turn", "180"}).err, HasSubstr("1 read now, 0 there before"));
}

TEST_F(Ocr, APageThatIsCutSaysSo) {
  const ProgramResult result = RunOcelli(
      {"ocr", Pictures(30)[29], "-o", out_.string(), "--format", "json", "--max-new-tokens", "1"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("cut_by_length"));
}

TEST(Enhance, APictureAloneIsReadAndCanBeSeen) {
  const testing::TestDirectory directory;
  const fs::path seen = directory.path() / "seen.png";
  const ProgramResult result = RunOcelli({"ask", kHello.string(), "--turn", "90", "--save-enhanced",
                                          seen.string(), "--json", "--max-new-tokens", "8"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json picture = json::parse(result.out)["pictures"][0];
  EXPECT_EQ(picture["enhanced"]["steps"][0], "turn");
  EXPECT_EQ(picture["enhanced"]["size"]["width"], picture["original_size"]["height"]);
  EXPECT_THAT(Read(seen), ::testing::StartsWith("\x89PNG"));
}

TEST(Enhance, ACleanPictureGivesTheSameAnswer) {
  for (const char* name : {"hello.png", "open.png"}) {
    const std::string path = (kHello.parent_path() / name).string();
    const std::vector<std::string> plain = {"ask", path, "What does it say?", "--temperature", "0"};
    std::vector<std::string> enhanced = plain;
    enhanced.emplace_back("--enhance");
    EXPECT_EQ(RunOcelli(plain).out, RunOcelli(enhanced).out) << name;
  }
}

TEST(Enhance, MistakesAreNamed) {
  const ProgramResult two = RunOcelli({"ask", kHello.string(), kHello.string(), "What?",
                                       "--enhance", "--save-enhanced", "never.png"});
  EXPECT_EQ(two.exit_code, 2);
  EXPECT_THAT(two.err, HasSubstr("--save-enhanced goes with --enhance and one picture"));
  EXPECT_EQ(RunOcelli({"ask", kHello.string(), "What?", "--turn", "45"}).exit_code, 2);
  EXPECT_EQ(
      RunOcelli({"ask", kHello.string(), "What?", "--enhance-steps", "light,magic"}).exit_code, 2);
}

}  // namespace
}  // namespace ocelli
