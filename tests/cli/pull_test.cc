// `ocelli pull`, `models` and `rm` as programs: killed, beside each other, on a full disk.

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/test_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hub/fake_hub.h"
#include "hub/fake_model.h"
#include "run_program.h"

extern char** environ;

namespace ocelli {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::FakeAnswer;
using testing::FakeHub;
using testing::FakeRequest;
using ::testing::HasSubstr;
using testing::ReadAll;

constexpr char kModel[] = "Acme/Tiny";
constexpr size_t kWeightBytes = size_t{8} << 20;  // eight parts

// The program running beside the test.
class RunningOcelli {
 public:
  explicit RunningOcelli(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), OCELLI_PROGRAM);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    const int failed =
        posix_spawn(&pid_, OCELLI_PROGRAM, nullptr, nullptr, pointers.data(), environ);
    OCELLI_CHECK(failed == 0, "posix_spawn: {}", failed);
  }
  ~RunningOcelli() {
    if (pid_ > 0) Signal(SIGKILL), Wait();
  }
  void Signal(int signal_number) const { kill(pid_, signal_number); }
  // Returns the exit code, 128 + n after signal n.
  int Wait() {
    int status = 0;
    waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = 0;
};

class PullProgramTest : public ::testing::Test {
 protected:
  PullProgramTest() {
    for (const char* name : {"http_proxy", "https_proxy", "all_proxy", "HF_TOKEN"}) unsetenv(name);
    setenv("HF_HOME", directory_.path().c_str(), 1);
    setenv("HF_ENDPOINT", hub_.url().c_str(), 1);
    setenv("MODELSCOPE_DOMAIN", "http://127.0.0.1:1", 1);
  }
  ~PullProgramTest() override {
    for (const char* name : {"HF_HOME", "HF_ENDPOINT", "MODELSCOPE_DOMAIN"}) unsetenv(name);
  }

  void AddLargeModel() {
    files_ = testing::FakeModelFiles(kWeightBytes);
    hub_.AddModel(kModel, files_);
    hub_.SetFault([](const FakeRequest&, FakeAnswer& answer) {
      answer.drip_bytes = 128 << 10;
      answer.drip_wait = milliseconds(5);
    });
  }

  void WaitUntilSent(uint64_t bytes) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (hub_.file_bytes_sent() < bytes && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(milliseconds(2));
    }
  }

  fs::path Repo() const { return directory_.path() / "hub/models--Acme--Tiny"; }
  void ExpectWhole() {
    const fs::path snapshot = Repo() / "snapshots" / hub_.Commit(kModel);
    EXPECT_EQ(ReadAll(snapshot / "model.safetensors"), files_.at("model.safetensors"));
    EXPECT_TRUE(fs::exists(Repo() / "refs/main"));
  }

  testing::TestDirectory directory_;
  std::map<std::string, std::string> files_;
  FakeHub hub_;
};

TEST_F(PullProgramTest, PullsListsAndDeletes) {
  files_ = testing::FakeModelFiles(1000);
  hub_.AddModel(kModel, files_);
  const ProgramResult pulled = RunOcelli({"pull", kModel});
  EXPECT_EQ(pulled.exit_code, 0) << pulled.err;
  EXPECT_EQ(pulled.out, (Repo() / "snapshots" / hub_.Commit(kModel)).string() + "\n");
  EXPECT_THAT(pulled.err, HasSubstr("is here and verified"));
  EXPECT_EQ(RunOcelli({"pull", kModel, "--offline"}).exit_code, 0);

  EXPECT_THAT(RunOcelli({"models"}).out, HasSubstr("Acme/Tiny"));
  const auto list = nlohmann::json::parse(RunOcelli({"models", "--json"}).out);
  EXPECT_EQ(list.back()["name"], kModel);
  EXPECT_EQ(list.back()["whole"], true);

  const ProgramResult removed = RunOcelli({"rm", kModel});
  EXPECT_EQ(removed.exit_code, 0);
  EXPECT_THAT(removed.out, HasSubstr("deleted Acme/Tiny"));
  EXPECT_FALSE(fs::exists(Repo()));
  EXPECT_EQ(RunOcelli({"rm", kModel}).exit_code, 1);
}

TEST_F(PullProgramTest, KilledAtAnyTimeItGoesOnWhereItWas) {
  AddLargeModel();
  for (const uint64_t after : {uint64_t{0}, uint64_t{3} << 20, uint64_t{5} << 20}) {
    const uint64_t before = hub_.file_bytes_sent();
    RunningOcelli program({"pull", kModel});
    WaitUntilSent(before + after);
    program.Signal(SIGKILL);
    EXPECT_EQ(program.Wait(), 128 + SIGKILL);
    EXPECT_FALSE(fs::exists(Repo() / "refs/main"));
    EXPECT_FALSE(fs::exists(Repo() / "snapshots" / hub_.Commit(kModel) / "model.safetensors"));
  }
  EXPECT_THAT(RunOcelli({"models"}).out, HasSubstr("`ocelli pull Acme/Tiny` goes on"));
  const uint64_t before = hub_.file_bytes_sent();
  EXPECT_EQ(RunOcelli({"pull", kModel}).exit_code, 0);
  EXPECT_LT(hub_.file_bytes_sent() - before, files_.at("model.safetensors").size());
  ExpectWhole();
}

TEST_F(PullProgramTest, CtrlCStopsItAndKeepsWhatIsThere) {
  AddLargeModel();
  RunningOcelli program({"pull", kModel});
  WaitUntilSent(uint64_t{2} << 20);
  program.Signal(SIGINT);
  EXPECT_EQ(program.Wait(), 130);
  hub_.SetFault({});
  EXPECT_EQ(RunOcelli({"pull", kModel}).exit_code, 0);
  ExpectWhole();
}

TEST_F(PullProgramTest, TwoAtOnceFetchEveryFileOnce) {
  AddLargeModel();
  RunningOcelli other({"pull", kModel});
  WaitUntilSent(uint64_t{1} << 20);
  EXPECT_EQ(RunOcelli({"pull", kModel}).exit_code, 0);
  EXPECT_EQ(other.Wait(), 0);
  uint64_t all = 0;
  for (const auto& [name, content] : files_) all += content.size();
  EXPECT_LE(hub_.file_bytes_sent(), all);
  ExpectWhole();
}

TEST_F(PullProgramTest, ADiskThatFillsUpOnTheWayIsSaidAndWhatIsThereKept) {
  AddLargeModel();
  hub_.SetFault({});
  // A limit on the size of files fails writes as a full disk does: at some byte, in the middle.
  const std::string command =
      fmt::format("trap '' XFSZ; ulimit -f 4096; exec {} pull {} 2>{}", OCELLI_PROGRAM, kModel,
                  (directory_.path() / "err").string());
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_THAT(ReadAll(directory_.path() / "err"), HasSubstr("the disk is full"));
  EXPECT_FALSE(fs::exists(Repo() / "refs/main"));
  EXPECT_EQ(RunOcelli({"pull", kModel}).exit_code, 0);
  ExpectWhole();
}

TEST_F(PullProgramTest, AskFetchesAModelThatIsNamed) {
  for (const auto& entry : fs::directory_iterator(OCELLI_SOURCE_DIR "/models/embedded")) {
    files_[entry.path().filename()] = ReadAll(entry.path());
  }
  hub_.AddModel("Ocelli/Embedded", files_);
  const std::string picture = OCELLI_SOURCE_DIR "/examples/open.png";
  const std::vector<std::string> ask = {"ask", picture, "Read the text.", "--model",
                                        "Ocelli/Embedded"};
  const ProgramResult missing = RunOcelli(ask);
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("`ocelli pull Ocelli/Embedded` fetches it"));
  std::vector<std::string> pull = ask;
  pull.push_back("--pull");
  const ProgramResult answer = RunOcelli(pull);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_EQ(RunOcelli(ask).out, answer.out);
  EXPECT_EQ(RunOcelli({"inspect", "Ocelli/Embedded"}).exit_code, 0);
}

TEST_F(PullProgramTest, DoctorVerifiesWhatWasPulled) {
  files_ = testing::FakeModelFiles(1000);
  hub_.AddModel(kModel, files_);
  ASSERT_EQ(RunOcelli({"pull", kModel}).exit_code, 0);
  const std::vector<std::string> doctor = {"doctor", "--model", kModel, "--verify", "--json"};
  const ProgramResult healthy = RunOcelli(doctor);
  EXPECT_EQ(healthy.exit_code, 0) << healthy.err;
  EXPECT_THAT(nlohmann::json::parse(healthy.out)["verified"], HasSubstr("6 files have the hashes"));
  std::ofstream(Repo() / "snapshots" / hub_.Commit(kModel) / "model.safetensors",
                std::ios::in | std::ios::out)
      .seekp(-3, std::ios::end)
      .put('!');
  const ProgramResult ill = RunOcelli(doctor);
  EXPECT_EQ(ill.exit_code, 1);
  EXPECT_THAT(ill.err, HasSubstr("has another SHA-256"));
}

TEST(SelftestProgram, EveryKernelIsRight) {
  const ProgramResult result = RunOcelli({"selftest"});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("scalar  linear, bf16 weights"));
  EXPECT_THAT(result.out, ::testing::Not(HasSubstr("WRONG")));
  ProgramInput masked;
  masked.environment = {"OCELLI_CPU=-avx2"};
  EXPECT_THAT(RunOcelli({"selftest"}, masked).out, HasSubstr("OCELLI_CPU=-avx2"));
}

TEST_F(PullProgramTest, WhatMakesNoSenseIsAUsageError) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"pull", "no-owner"},
                                                    {"pull", "../x/y"},
                                                    {"rm"},
                                                    {"rm", "x"},
                                                    {"pull", kModel, "--source", "ftp"},
                                                    {"pull", kModel, "--revision", "../main"}}) {
    const ProgramResult result = RunOcelli(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  EXPECT_EQ(hub_.requests().size(), 0u);
}

}  // namespace
}  // namespace ocelli
