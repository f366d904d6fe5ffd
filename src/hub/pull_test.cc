#include "hub/pull.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/test_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hub/fake_hub.h"
#include "hub/fake_model.h"
#include "hub/model_cache.h"

namespace ocelli::hub {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::FakeAnswer;
using testing::FakeHub;
using testing::FakeModelFiles;
using testing::FakeRequest;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ReadAll;

constexpr size_t kFillerBytes = 40'000;
constexpr char kWeights[] = "model.safetensors";

class PullTest : public ::testing::Test {
 protected:
  PullTest() {
    for (const char* name : {"http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"}) unsetenv(name);
    settings_.cache_directory = directory_.path() / "hub";
    settings_.huggingface_endpoint = hub_.url();
    settings_.modelscope_endpoint = modelscope_.url();
    settings_.token = "hf_secret";
    settings_.part_bytes = 1000;
    settings_.request_bytes = 8000;
    settings_.spare_disk_bytes = 0;
    settings_.retry_delay = milliseconds(2);
    settings_.max_retry_delay = milliseconds(10);
    settings_.connect_timeout = milliseconds(2000);
    settings_.answer_timeout = milliseconds(2000);
    settings_.stall_time = std::chrono::seconds(1);
    files_ = FakeModelFiles(kFillerBytes);
    hub_.AddModel("Qwen/Tiny", files_);
    request_.repo = *ParseRepoId("Qwen/Tiny");
  }

  Result<PullResult> PullIt(const PullCallback& callback = {}) {
    return Pull(settings_, request_, callback);
  }
  ModelCache cache() const { return ModelCache(settings_.cache_directory); }
  fs::path Found() const { return *cache().Find(request_.repo, "main"); }

  // Applies `change` to answers for the weights.
  void OnWeights(const FakeHub::Fault& change) {
    hub_.SetFault([change](const FakeRequest& request, FakeAnswer& answer) {
      if (request.method == "GET" && request.Wants(kWeights)) change(request, answer);
    });
  }

  void ExpectWhole() {
    const auto result = PullIt();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(ReadAll(Found() / kWeights), files_.at(kWeights));
  }

  void ExpectRefused(ErrorCode code, const std::vector<std::string>& words) {
    const testing::CpuSecond quick;
    testing::ExpectError(PullIt(), code, words);
    EXPECT_FALSE(cache().Find(request_.repo, "main").ok());
    EXPECT_FALSE(fs::exists(cache().Blob(request_.repo, Sha256Hex(files_.at(kWeights)))));
  }

  testing::TestDirectory directory_;
  HubSettings settings_;
  PullRequest request_;
  std::map<std::string, std::string> files_;
  std::atomic<int> count_ = 0;  // of a fault's own
  // Last: their threads may run a fault until they are gone, which may use all of the above.
  FakeHub hub_;
  FakeHub modelscope_;
};

TEST_F(PullTest, FillsTheStandardCacheWithTheFilesThatAreNeeded) {
  const auto result = PullIt();
  ASSERT_TRUE(result.ok()) << result.error().message;
  const fs::path folder = settings_.cache_directory / "models--Qwen--Tiny";
  const std::string commit = hub_.Commit("Qwen/Tiny");
  EXPECT_EQ(result->snapshot, folder / "snapshots" / commit);
  EXPECT_EQ(ReadAll(folder / "refs/main"), commit);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(result->snapshot)) {
    const std::string name = entry.path().filename();
    names.push_back(name);
    EXPECT_EQ(ReadAll(entry.path()), files_.at(name));
    EXPECT_THAT(fs::read_symlink(entry.path()).string(), ::testing::StartsWith("../../blobs/"));
  }
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("config.json", "generation_config.json",
                                                     "preprocessor_config.json", "tokenizer.json",
                                                     "chat_template.json", kWeights));
  for (const auto& blob : fs::directory_iterator(folder / "blobs")) {
    EXPECT_THAT(blob.path().filename().string(), Not(HasSubstr("ocelli")));
  }
}

TEST_F(PullTest, SecondPullVerifiesAndFetchesNothing) {
  ASSERT_TRUE(PullIt().ok());
  const uint64_t sent = hub_.file_bytes_sent();
  const auto again = PullIt();
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->received_bytes, 0u);
  EXPECT_EQ(hub_.file_bytes_sent(), sent);
}

TEST_F(PullTest, FetchesShardsThatTheIndexNames) {
  files_ = testing::FakeShardedModelFiles(20'000);
  hub_.AddModel("Qwen/Tiny", files_);
  ASSERT_TRUE(PullIt().ok());
  EXPECT_EQ(ReadAll(Found() / "model-00002-of-00002.safetensors"),
            files_.at("model-00002-of-00002.safetensors"));
}

TEST_F(PullTest, FetchesOnlyWhatANewRevisionChanged) {
  ASSERT_TRUE(PullIt().ok());
  const uint64_t sent = hub_.file_bytes_sent();
  files_["generation_config.json"] = R"({"eos_token_id": 3})";
  hub_.AddModel("Qwen/Tiny", files_);
  ASSERT_TRUE(PullIt().ok());
  EXPECT_EQ(hub_.file_bytes_sent() - sent, files_["generation_config.json"].size());
  EXPECT_EQ(ReadAll(Found() / "generation_config.json"), files_["generation_config.json"]);
}

TEST_F(PullTest, TakesACommitForARevision) {
  request_.revision = hub_.Commit("Qwen/Tiny");
  ASSERT_TRUE(PullIt().ok());
  EXPECT_TRUE(cache().Find(request_.repo, request_.revision).ok());
}

// Faults of the connection.

class CutAt : public PullTest, public ::testing::WithParamInterface<size_t> {};

TEST_P(CutAt, IsResumedWithoutFetchingTheRestAgain) {
  OnWeights([](const FakeRequest& request, FakeAnswer& answer) {
    if (request.earlier < 3) answer.cut_after = GetParam();
  });
  ExpectWhole();
  EXPECT_LE(hub_.file_bytes_sent(), files_.at(kWeights).size() + 10'000);
}
INSTANTIATE_TEST_SUITE_P(AnyByte, CutAt,
                         ::testing::Values(0, 1, 2, 499, 999, 1000, 1001, 1999, 4096, 7998, 7999));

TEST_F(PullTest, EveryConnectionIsCutAfterOneAndAHalfParts) {
  OnWeights([](const FakeRequest&, FakeAnswer& answer) { answer.cut_after = 1500; });
  settings_.max_failures = 100;
  ExpectWhole();
  EXPECT_LE(hub_.file_bytes_sent(), files_.at(kWeights).size() + 10'000);
}

TEST_F(PullTest, GivesUpAServerThatNeverSendsAnything) {
  OnWeights([](const FakeRequest&, FakeAnswer& answer) { answer.cut_after = 0; });
  ExpectRefused(ErrorCode::kUnavailable, {kWeights, "127.0.0.1", "what is there is kept"});
}

TEST_F(PullTest, LeavesAConnectionThatDrips) {
  OnWeights([](const FakeRequest& request, FakeAnswer& answer) {
    if (request.earlier > 0) return;
    answer.drip_bytes = 10;
    answer.drip_wait = milliseconds(50);
  });
  ExpectWhole();
}

TEST_F(PullTest, WorksWithAServerWithoutRanges) {
  OnWeights([this](const FakeRequest&, FakeAnswer& answer) {
    answer.status = 200;
    answer.headers.erase("Content-Range");
    answer.body = files_.at(kWeights);
  });
  ExpectWhole();
}

TEST_F(PullTest, WithoutRangesACutCostsOnlyTheTimeToSkip) {
  OnWeights([this](const FakeRequest&, FakeAnswer& answer) {
    answer.status = 200;
    answer.headers.erase("Content-Range");
    answer.body = files_.at(kWeights);
    answer.cut_after = static_cast<uint64_t>(++count_) * 6'000;
  });
  settings_.max_failures = 100;
  ExpectWhole();
}

TEST_F(PullTest, AnswersAboutOtherBytesAreNotUsed) {
  OnWeights([](const FakeRequest& request, FakeAnswer& answer) {
    if (request.earlier == 0) answer.headers["Content-Range"] = "bytes 5-12/999999";
  });
  ExpectRefused(ErrorCode::kCorruptData, {"999999 bytes", "the hub says"});
}

TEST_F(PullTest, ARangeThatWasNotAskedForIsAskedForAgain) {
  OnWeights([this](const FakeRequest& request, FakeAnswer& answer) {
    if (request.earlier > 0) return;
    answer.headers["Content-Range"] = fmt::format("bytes 3-10/{}", files_.at(kWeights).size());
  });
  ExpectWhole();
}

// Faults of the content.

TEST_F(PullTest, AWrongByteIsFoundAndOnlyItsPartReplaced) {
  OnWeights([this](const FakeRequest&, FakeAnswer& answer) {
    if (answer.body.size() > 2500 && count_++ == 0) answer.body[2500] ^= 1;
  });
  ExpectWhole();
  EXPECT_LE(hub_.file_bytes_sent(), 2 * files_.at(kWeights).size() + 10'000);
}

TEST_F(PullTest, ThreeWrongBytesInThreePartsAreAllFound) {
  OnWeights([this](const FakeRequest&, FakeAnswer& answer) {
    if (answer.body.size() > 1500 && count_++ < 3) answer.body[1500] ^= 0x40;
  });
  ExpectWhole();
}

TEST_F(PullTest, ContentThatNeverHasTheHashIsNeverUsed) {
  OnWeights([](const FakeRequest&, FakeAnswer& answer) {
    if (!answer.body.empty()) answer.body[0] ^= 1;
  });
  ExpectRefused(ErrorCode::kCorruptData, {kWeights, "SHA-256", "not used"});
  EXPECT_FALSE(fs::exists(cache().UnfinishedBlob(request_.repo, Sha256Hex(files_.at(kWeights)))));
}

TEST_F(PullTest, ASmallFileWithAnotherHashIsNeverUsed) {
  hub_.SetFault([](const FakeRequest& request, FakeAnswer& answer) {
    if (request.Wants("/resolve/") && request.Wants("generation_config")) answer.body[3] ^= 1;
  });
  ExpectRefused(ErrorCode::kCorruptData, {"generation_config.json", "git SHA-1"});
}

TEST_F(PullTest, AFileOfAnotherSizeIsNeverUsed) {
  OnWeights([this](const FakeRequest&, FakeAnswer& answer) {
    answer.status = 200;
    answer.headers.erase("Content-Range");
    answer.body = files_.at(kWeights) + "more";
  });
  ExpectRefused(ErrorCode::kCorruptData, {kWeights, "bytes", "the hub says"});
}

TEST_F(PullTest, ABlobThatChangedOnTheDiskIsFetchedAgain) {
  ASSERT_TRUE(PullIt().ok());
  const fs::path blob = cache().Blob(request_.repo, Sha256Hex(files_.at(kWeights)));
  std::fstream(blob, std::ios::in | std::ios::out).seekp(9000).put('X').put('Y');
  ExpectWhole();
}

// Answers that are no files.

TEST_F(PullTest, RedirectsNeverCarryTheTokenToAnotherPort) {
  FakeHub storage;
  storage.AddContent(files_.at(kWeights));
  storage.AddContent(files_.at("tokenizer.json"));
  hub_.RedirectLargeFilesTo(storage.url());
  ExpectWhole();
  EXPECT_GT(storage.requests().size(), 0u);
  for (const FakeRequest& request : storage.requests()) {
    EXPECT_EQ(request.Header("authorization"), "");
  }
  for (const FakeRequest& request : hub_.requests()) {
    EXPECT_EQ(request.Header("authorization"), "Bearer hf_secret");
  }
}

TEST_F(PullTest, ALinkThatRanOutIsAskedForAnew) {
  FakeHub storage;
  storage.AddContent(files_.at(kWeights));
  storage.AddContent(files_.at("tokenizer.json"));
  hub_.RedirectLargeFilesTo(storage.url());
  storage.SetFault([](const FakeRequest& request, FakeAnswer& answer) {
    if (request.earlier % 3 == 1) answer = {403, {}, "expired"};
  });
  ExpectWhole();
}

TEST_F(PullTest, EndlessRedirectsEnd) {
  hub_.SetFault([this](const FakeRequest& request, FakeAnswer& answer) {
    if (request.Wants("config.json")) {
      answer = {302, {{"Location", hub_.url() + request.target}}, ""};
    }
  });
  ExpectRefused(ErrorCode::kUnavailable, {"config.json", "redirects more than 8 times"});
}

TEST_F(PullTest, RedirectsToOtherSchemesAreNotFollowed) {
  hub_.SetFault([](const FakeRequest& request, FakeAnswer& answer) {
    if (request.Wants("config.json")) answer = {302, {{"Location", "file:///etc/passwd"}}, ""};
  });
  ExpectRefused(ErrorCode::kUnavailable, {"config.json", "redirects to"});
}

struct Refusal {
  int status;
  std::map<std::string, std::string> headers;
  ErrorCode code;
  std::vector<std::string> words;
};

class ListAnswers : public PullTest, public ::testing::WithParamInterface<Refusal> {};

TEST_P(ListAnswers, AreSaidWithWhatToDo) {
  request_.source = SourceChoice::kHuggingFace;
  hub_.SetFault([](const FakeRequest&, FakeAnswer& answer) {
    answer = {GetParam().status, GetParam().headers, "no"};
  });
  ExpectRefused(GetParam().code, GetParam().words);
}
INSTANTIATE_TEST_SUITE_P(
    Statuses, ListAnswers,
    ::testing::Values(
        Refusal{401, {}, ErrorCode::kInvalidArgument, {"does not accept HF_TOKEN", "Qwen/Tiny"}},
        Refusal{403, {}, ErrorCode::kInvalidArgument, {"accept its licence at", "/Qwen/Tiny"}},
        Refusal{404,
                {{"X-Error-Code", "RevisionNotFound"}},
                ErrorCode::kNotFound,
                {"has no revision main"}},
        Refusal{404, {}, ErrorCode::kNotFound, {"has no Qwen/Tiny", "check the name"}},
        Refusal{416, {}, ErrorCode::kIo, {"416", "HF_ENDPOINT"}},
        Refusal{418, {}, ErrorCode::kIo, {"418"}},
        Refusal{429,
                {{"Retry-After", "99999"}},
                ErrorCode::kUnavailable,
                {"busy", "429", "asks to wait 99999"}},
        Refusal{500, {}, ErrorCode::kUnavailable, {"busy", "500"}},
        Refusal{503, {}, ErrorCode::kUnavailable, {"busy", "503", "--source modelscope"}},
        Refusal{200, {}, ErrorCode::kCorruptData, {"list of files is not one"}}));

TEST_F(PullTest, WithoutATokenThe401SaysHowToGetOne) {
  settings_.token.clear();
  request_.repo = *ParseRepoId("Qwen/None");
  ExpectRefused(ErrorCode::kInvalidArgument,
                {"check the name", "accept the licence at", "set HF_TOKEN"});
}

class FileAnswers : public PullTest, public ::testing::WithParamInterface<Refusal> {};

TEST_P(FileAnswers, AreSaidWithWhatToDo) {
  OnWeights([](const FakeRequest&, FakeAnswer& answer) {
    answer = {GetParam().status, GetParam().headers, "no"};
  });
  ExpectRefused(GetParam().code, GetParam().words);
}
INSTANTIATE_TEST_SUITE_P(
    Statuses, FileAnswers,
    ::testing::Values(Refusal{401, {}, ErrorCode::kInvalidArgument, {"HF_TOKEN", kWeights}},
                      Refusal{403, {}, ErrorCode::kInvalidArgument, {"licence", kWeights}},
                      Refusal{404, {}, ErrorCode::kNotFound, {kWeights, "(404)"}},
                      Refusal{416, {}, ErrorCode::kCorruptData, {kWeights, "the hub says"}},
                      Refusal{429, {}, ErrorCode::kUnavailable, {"busy", kWeights}},
                      Refusal{502, {}, ErrorCode::kUnavailable, {"busy", kWeights}}));

TEST_F(PullTest, BusyServersAreAskedAgainWhenTheySay) {
  hub_.SetFault([](const FakeRequest& request, FakeAnswer& answer) {
    if (request.earlier == 0) answer = {429, {{"Retry-After", "0"}}, "slow down"};
    if (request.earlier == 1) answer = {503, {}, "ailing"};
  });
  ExpectWhole();
}

TEST_F(PullTest, ARetryAfterIsWaitedFor) {
  OnWeights([](const FakeRequest& request, FakeAnswer& answer) {
    if (request.earlier == 0) answer = {503, {{"Retry-After", "1"}}, ""};
  });
  const auto start = std::chrono::steady_clock::now();
  ExpectWhole();
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(900));
}

// The hub's list.

TEST_F(PullTest, AModelThatOcelliDoesNotRunIsRefusedBeforeItsWeightsAreFetched) {
  files_["config.json"] = R"({"model_type": "llama"})";
  hub_.AddModel("Qwen/Tiny", files_);
  ExpectRefused(ErrorCode::kUnsupported, {"config.json of Qwen/Tiny", "llama"});
  EXPECT_LT(hub_.file_bytes_sent(), 200u);
}

TEST_F(PullTest, AModelWithoutSafetensorsIsRefused) {
  files_.erase(kWeights);
  hub_.AddModel("Qwen/Tiny", files_);
  testing::ExpectError(PullIt(), ErrorCode::kUnsupported,
                       {"Qwen/Tiny has no model.safetensors, only weights in other formats"});
}

TEST_F(PullTest, WeightsThatDoNotFitTheConfigAreToldAtTheEnd) {
  files_[kWeights] = testing::Safetensors({{"x", "BF16", {1}, "ab"}});
  hub_.AddModel("Qwen/Tiny", files_);
  testing::ExpectError(PullIt(), ErrorCode::kNotFound,
                       {"Qwen/Tiny is all there, but cannot be run"});
}

TEST_F(PullTest, HostileNamesAreNotWritten) {
  hub_.SetFault([](const FakeRequest& request, FakeAnswer& answer) {
    if (!request.Wants("/revision/")) return;
    auto list = nlohmann::json::parse(answer.body);
    for (const char* name : {"../../escape.safetensors", "/tmp/escape.safetensors",
                             "a\nb.safetensors", ".hidden.safetensors", "x/y.safetensors"}) {
      list["siblings"].push_back(
          {{"rfilename", name}, {"size", 1}, {"blobId", std::string(40, 'b')}});
    }
    answer.body = list.dump();
  });
  ExpectWhole();
  for (const FakeRequest& request : hub_.requests()) EXPECT_FALSE(request.Wants("escape"));
}

TEST_F(PullTest, AMirrorWithoutHashesIsAskedForThemFileByFile) {
  hub_.SetFault([](const FakeRequest& request, FakeAnswer& answer) {
    if (!request.Wants("/revision/")) return;
    auto list = nlohmann::json::parse(answer.body);
    for (auto& entry : list["siblings"]) entry = {{"rfilename", entry["rfilename"]}};
    answer.body = list.dump();
  });
  ExpectWhole();
}

TEST_F(PullTest, AMirrorThatNamesNoHashAnywhereIsRefused) {
  hub_.SetFault([](const FakeRequest& request, FakeAnswer& answer) {
    for (const char* name : {"ETag", "X-Linked-Etag"}) answer.headers.erase(name);
    if (!request.Wants("/revision/")) return;
    auto list = nlohmann::json::parse(answer.body);
    for (auto& entry : list["siblings"]) entry = {{"rfilename", entry["rfilename"]}};
    answer.body = list.dump();
  });
  ExpectRefused(ErrorCode::kUnsupported, {"names no hash", "cannot be verified"});
}

// ModelScope, proxies, offline.

TEST_F(PullTest, ModelScopeGivesTheSameFiles) {
  modelscope_.AddModel("Qwen/Tiny", files_);
  request_.source = SourceChoice::kModelScope;
  ExpectWhole();
  EXPECT_EQ(hub_.requests().size(), 0u);
  for (const FakeRequest& request : modelscope_.requests()) {
    EXPECT_EQ(request.Header("authorization"), "");
    EXPECT_TRUE(request.Wants("Revision=master"));
  }
}

TEST_F(PullTest, ModelScopeHasNoSuchModel) {
  request_.source = SourceChoice::kModelScope;
  ExpectRefused(ErrorCode::kNotFound, {"Qwen/Tiny"});
}

TEST_F(PullTest, ModelScopeIsAskedWhenHuggingFaceDoesNotAnswer) {
  modelscope_.AddModel("Qwen/Tiny", files_);
  settings_.huggingface_endpoint = "http://127.0.0.1:1";
  const auto result = PullIt();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->source, "modelscope");
}

TEST_F(PullTest, ALargeFileBegunAtOneHubIsGoneOnWithAtTheOther) {
  modelscope_.AddModel("Qwen/Tiny", files_);
  OnWeights([](const FakeRequest&, FakeAnswer& answer) { answer.cut_after = 1000; });
  settings_.max_failures = 3;
  ASSERT_FALSE(PullIt().ok());
  request_.source = SourceChoice::kModelScope;
  const auto result = PullIt();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_LT(result->received_bytes, files_.at(kWeights).size());
}

TEST_F(PullTest, NeitherHubAnswers) {
  settings_.huggingface_endpoint = "http://127.0.0.1:1";
  settings_.modelscope_endpoint = "http://127.0.0.1:1";
  ExpectRefused(ErrorCode::kUnavailable, {"127.0.0.1", "HF_ENDPOINT", "https_proxy"});
}

TEST_F(PullTest, GoesThroughTheProxyOfTheEnvironment) {
  setenv("http_proxy", hub_.url().c_str(), 1);
  settings_.huggingface_endpoint = "http://hub.example";
  const auto result = PullIt();
  unsetenv("http_proxy");
  ASSERT_TRUE(result.ok()) << result.error().message;
  for (const FakeRequest& request : hub_.requests()) {
    EXPECT_EQ(request.Header("host"), "hub.example");
    EXPECT_EQ(request.Header("authorization"), "") << "a token in clear text";
  }
}

TEST_F(PullTest, OfflineUsesWhatIsThereAndConnectsToNobody) {
  ASSERT_TRUE(PullIt().ok());
  const size_t before = hub_.requests().size();
  settings_.offline = true;
  const auto result = PullIt();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->snapshot, Found());
  EXPECT_EQ(hub_.requests().size(), before);
  request_.repo = *ParseRepoId("Qwen/Other");
  testing::ExpectError(PullIt(), ErrorCode::kUnavailable,
                       {"Qwen/Other", "offline", "pull it once"});
}

// Interruptions, disks, several at once.

TEST_F(PullTest, WhatACancelledPullFetchedIsNotFetchedAgain) {
  OnWeights([](const FakeRequest&, FakeAnswer& answer) {
    answer.drip_bytes = 1000;
    answer.drip_wait = milliseconds(20);
  });
  const auto pause = [](const PullProgress& progress) { return progress.done_bytes < 12'000; };
  EXPECT_EQ(PullIt(pause).error().code, ErrorCode::kCancelled);
  hub_.SetFault({});
  const auto result = PullIt();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_LT(result->received_bytes, files_.at(kWeights).size() - 8'000);
  EXPECT_EQ(ReadAll(Found() / kWeights), files_.at(kWeights));
}

class Interrupted : public PullTest {
 protected:
  // Leaves an unfinished download of the weights behind, 12 parts of it at least.
  void SetUp() override {
    OnWeights([](const FakeRequest&, FakeAnswer& answer) {
      answer.drip_bytes = 1000;
      answer.drip_wait = milliseconds(10);
    });
    const auto pause = [](const PullProgress& progress) { return progress.done_bytes < 14'000; };
    ASSERT_EQ(PullIt(pause).error().code, ErrorCode::kCancelled);
    hub_.SetFault({});
    const std::string hash = Sha256Hex(files_.at(kWeights));
    unfinished_ = cache().UnfinishedBlob(request_.repo, hash);
    ledger_ = cache().Ledger(request_.repo, hash);
  }

  fs::path unfinished_;
  fs::path ledger_;
};

TEST_F(Interrupted, ALedgerThatWasCutInTheMiddleOfALineIsUsedUpToThere) {
  fs::resize_file(ledger_, fs::file_size(ledger_) - 10);
  ExpectWhole();
}

TEST_F(Interrupted, ADamagedLedgerOnlyCostsTime) {
  std::ofstream(ledger_) << "nonsense";
  ExpectWhole();
}

TEST_F(Interrupted, ALedgerWithoutItsFileIsNotBelieved) {
  fs::remove(unfinished_);
  ExpectWhole();
}

TEST_F(Interrupted, PartsThatChangedOnTheDiskAreFetchedAgainAndNoOthers) {
  const std::string ledger = ReadAll(ledger_);
  const size_t part = std::stoul(ledger.substr(ledger.find('\n') + 1, 8));
  std::fstream(unfinished_, std::ios::in | std::ios::out)
      .seekp(static_cast<std::streamoff>(part * settings_.part_bytes + 5))
      .put('\x7f')
      .put('\x7e');
  const uint64_t sent = hub_.file_bytes_sent();
  ExpectWhole();
  EXPECT_LT(hub_.file_bytes_sent() - sent, files_.at(kWeights).size());
}

TEST_F(Interrupted, AShortenedFileIsFilledAgain) {
  fs::resize_file(unfinished_, 100);
  ExpectWhole();
}

TEST_F(PullTest, AFullDiskIsSaidBeforeWeightsAreFetched) {
  settings_.spare_disk_bytes = uint64_t{1} << 60;
  ExpectRefused(ErrorCode::kResourceExhausted, {"Qwen/Tiny needs", "free some space", "HF_HOME"});
  for (const FakeRequest& request : hub_.requests()) EXPECT_FALSE(request.Wants(kWeights));
}

TEST_F(PullTest, AFolderThatCannotBeWrittenIsNamed) {
  directory_.Write("hub", "a file where the cache should be");
  testing::ExpectError(PullIt(), ErrorCode::kIo, {"hub"});
}

TEST_F(PullTest, TwoPullsAtOnceShareTheWork) {
  OnWeights([](const FakeRequest&, FakeAnswer& answer) {
    answer.drip_bytes = 1000;
    answer.drip_wait = milliseconds(5);
  });
  std::atomic<bool> waited = false;
  const auto watch = [&](const PullProgress& progress) {
    if (progress.stage == PullStage::kWaiting) waited = true;
    return true;
  };
  bool ok[2] = {};
  std::thread other([&] { ok[0] = PullIt(watch).ok(); });
  ok[1] = PullIt(watch).ok();
  other.join();
  EXPECT_TRUE(ok[0] && ok[1]);
  EXPECT_TRUE(waited);
  uint64_t all = 0;
  for (const auto& [name, content] : files_) all += content.size();
  EXPECT_LE(hub_.file_bytes_sent(), all);
}

TEST_F(PullTest, ProgressOnlyGrowsAndEndsWithEverything) {
  settings_.part_bytes = 500;
  settings_.connections = 1;
  OnWeights([](const FakeRequest&, FakeAnswer& answer) {
    answer.drip_bytes = 500;
    answer.drip_wait = milliseconds(15);
  });
  uint64_t last = 0;
  bool timed = false;
  const auto watch = [&](const PullProgress& progress) {
    if (progress.stage != PullStage::kDownloading) return true;
    EXPECT_GE(progress.done_bytes, last);
    EXPECT_LE(progress.done_bytes, progress.total_bytes);
    last = progress.done_bytes;
    timed |= progress.seconds_left.has_value() && progress.bytes_per_second > 0;
    return true;
  };
  const auto result = PullIt(watch);
  ASSERT_TRUE(result.ok());
  EXPECT_GT(last, result->total_bytes / 2);
  EXPECT_TRUE(timed);
}

TEST_F(PullTest, AnEmptyRevisionOrOneThatLeavesTheFolderIsRefused) {
  for (const char* revision : {"", "../x", "a//b", "-x", "a b", "/main"}) {
    request_.revision = revision;
    EXPECT_EQ(PullIt().error().code, ErrorCode::kInvalidArgument) << revision;
  }
  EXPECT_EQ(hub_.requests().size(), 0u);
}

}  // namespace
}  // namespace ocelli::hub
