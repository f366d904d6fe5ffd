#include "hub/hub_settings.h"

#include <cstdlib>

#include "base/test_directory.h"
#include "checkpoint/test_files.h"
#include "gtest/gtest.h"
#include "hub/progress_meter.h"
#include "hub/retry.h"

namespace ocelli::hub {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class HubSettingsTest : public ::testing::Test {
 protected:
  HubSettingsTest() {
    for (const char* name : {"HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME", "HF_ENDPOINT", "HF_TOKEN",
                             "HF_TOKEN_PATH", "MODELSCOPE_DOMAIN", "HF_HUB_OFFLINE"}) {
      unsetenv(name);
    }
    setenv("HOME", directory_.path().c_str(), 1);
  }

  testing::TestDirectory directory_;
};

TEST_F(HubSettingsTest, FindsTheCacheWhereOtherToolsDo) {
  EXPECT_EQ(HubSettings::FromEnvironment()->cache_directory,
            directory_.path() / ".cache/huggingface/hub");
  setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(HubSettings::FromEnvironment()->cache_directory, "/x/huggingface/hub");
  setenv("HF_HOME", "/h", 1);
  EXPECT_EQ(HubSettings::FromEnvironment()->cache_directory, "/h/hub");
  setenv("HF_HUB_CACHE", "/c", 1);
  EXPECT_EQ(HubSettings::FromEnvironment()->cache_directory, "/c");
}

TEST_F(HubSettingsTest, WithoutAnyHomeItSaysWhatToSet) {
  unsetenv("HOME");
  testing::ExpectError(HubSettings::FromEnvironment(), ErrorCode::kInvalidArgument, {"HF_HOME"});
}

TEST_F(HubSettingsTest, ReadsTheTokenOfTheEnvironmentOrOfTheLogin) {
  EXPECT_EQ(HubSettings::FromEnvironment()->token, "");
  directory_.Write(".cache/huggingface/token", "hf_file\n");
  EXPECT_EQ(HubSettings::FromEnvironment()->token, "hf_file");
  setenv("HF_TOKEN", " hf_env ", 1);
  EXPECT_EQ(HubSettings::FromEnvironment()->token, "hf_env");
  setenv("HF_TOKEN", "two\r\nX-Injected: 1", 1);
  testing::ExpectError(HubSettings::FromEnvironment(), ErrorCode::kInvalidArgument, {"HF_TOKEN"});
}

TEST_F(HubSettingsTest, TakesMirrorsAndRefusesWhatIsNone) {
  setenv("HF_ENDPOINT", "https://hf-mirror.com/", 1);
  setenv("MODELSCOPE_DOMAIN", "modelscope.ai", 1);
  setenv("HF_HUB_OFFLINE", "1", 1);
  const auto settings = HubSettings::FromEnvironment();
  EXPECT_EQ(settings->huggingface_endpoint, "https://hf-mirror.com");
  EXPECT_EQ(settings->modelscope_endpoint, "https://modelscope.ai");
  EXPECT_TRUE(settings->offline);
  for (const char* bad :
       {"hf-mirror.com", "ftp://x", "file:///etc", "https://me:pw@x", "https://a b"}) {
    setenv("HF_ENDPOINT", bad, 1);
    testing::ExpectError(HubSettings::FromEnvironment(), ErrorCode::kInvalidArgument,
                         {"HF_ENDPOINT"});
  }
}

TEST(RetryTest, ReadsSecondsAndDates) {
  const auto now = std::chrono::system_clock::from_time_t(784111777);  // Sun, 06 Nov 1994 08:49:37
  EXPECT_EQ(ParseRetryAfter("7", now), seconds(7));
  EXPECT_EQ(ParseRetryAfter("Sun, 06 Nov 1994 08:49:47 GMT", now), seconds(10));
  EXPECT_EQ(ParseRetryAfter("Sun, 06 Nov 1994 08:00:00 GMT", now), seconds(0));
  EXPECT_EQ(ParseRetryAfter("99999999999999999999", now), std::nullopt);
  EXPECT_EQ(ParseRetryAfter("999999999", now), seconds(86'400));
  for (const char* bad : {"", "soon", "-1", "1.5"}) {
    EXPECT_EQ(ParseRetryAfter(bad, now), std::nullopt) << bad;
  }
}

TEST(RetryTest, DelaysDoubleWithinBoundsAndEnd) {
  HubSettings settings;
  settings.max_failures = 8;
  Backoff backoff(settings);
  milliseconds doubled = settings.retry_delay;
  for (int i = 0; i < 8; ++i) {
    const auto delay = backoff.NextDelay({});
    ASSERT_TRUE(delay.has_value());
    EXPECT_GE(*delay, doubled / 2);
    EXPECT_LE(*delay, doubled);
    doubled = std::min(2 * doubled, settings.max_retry_delay);
  }
  EXPECT_EQ(backoff.NextDelay({}), std::nullopt);
  backoff.Reset();
  EXPECT_LE(*backoff.NextDelay({}), settings.retry_delay);
}

TEST(RetryTest, TheServersWishCountsUpToALimit) {
  const HubSettings settings;
  HttpResponse response;
  response.headers["retry-after"] = "120";
  EXPECT_EQ(Backoff(settings).NextDelay(response), seconds(120));
  response.headers["retry-after"] = "3600";
  EXPECT_EQ(Backoff(settings).NextDelay(response), std::nullopt);
}

TEST(ProgressMeterTest, SaysTheSpeedOfTheLastSeconds) {
  ProgressMeter meter;
  const ProgressMeter::Clock::time_point start{};
  EXPECT_EQ(meter.SecondsFor(1000), std::nullopt);
  uint64_t bytes = 0;
  for (int i = 0; i <= 100; ++i) meter.Note(bytes += 100'000, start + milliseconds(250) * i);
  EXPECT_NEAR(meter.BytesPerSecond(), 400'000, 1);
  EXPECT_NEAR(*meter.SecondsFor(800'000), 2.0, 1e-3);
  for (int i = 101; i <= 200; ++i) meter.Note(bytes += 10'000, start + milliseconds(250) * i);
  EXPECT_NEAR(meter.BytesPerSecond(), 40'000, 1);
}

TEST(HttpTextTest, EncodesAndSplitsAddresses) {
  EXPECT_EQ(PercentEncode("refs/pr/1 \xc3\xa9?", false), "refs%2Fpr%2F1%20%C3%A9%3F");
  EXPECT_EQ(PercentEncode("a/b c", true), "a/b%20c");
  EXPECT_EQ(HostOf("https://hf.co:8443/x"), "hf.co");
  EXPECT_EQ(HostOf("nonsense"), "");
  EXPECT_TRUE(IsPrivateChannel("https://x"));
  EXPECT_TRUE(IsPrivateChannel("http://127.0.0.1:80/x"));
  EXPECT_FALSE(IsPrivateChannel("http://127.0.0.1.evil.example/x"));
  EXPECT_FALSE(IsPrivateChannel("http://x"));
}

}  // namespace
}  // namespace ocelli::hub
