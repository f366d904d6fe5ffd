#include "cli/doctor_report.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/descriptor.h"
#include "checkpoint/model_config.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ocelli::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ModelConfig ConfigOf2B() {
  return *ReadModelConfig(OCELLI_SOURCE_DIR "/bench/shapes/qwen3_vl_2b/config.json");
}

// docs/benchmarks.md: 484 patches (121 tokens) in 1.29 s and a token in 161 ms, on a machine that
// did 265 / 0.76 GFLOP/s and 21.6 / 0.84 GB/s meanwhile.
TEST(SpeedForecastTest, IsWhatTheBenchmarkMeasured) {
  const MachinePeaks peaks{265e9 / 0.76, 21.6e9 / 0.84};
  const SpeedForecast forecast = ForecastSpeed(ConfigOf2B(), 3'470'000'000, {121, 7}, peaks);
  EXPECT_NEAR(forecast.encode_seconds, 1.29, 0.2);
  EXPECT_NEAR(forecast.prefill_seconds, 1.88, 0.4);
  EXPECT_NEAR(forecast.token_seconds, 0.161, 0.03);
}

TEST(SpeedForecastTest, TwiceTheMachineTakesHalfTheTime) {
  const SpeedForecast one = ForecastSpeed(ConfigOf2B(), 4e9, {100, 30}, {1e11, 1e10});
  const SpeedForecast two = ForecastSpeed(ConfigOf2B(), 4e9, {100, 30}, {2e11, 2e10});
  EXPECT_DOUBLE_EQ(one.first_token_seconds(), 2 * two.first_token_seconds());
}

TEST(DoctorReportTest, ExaminesThisMachine) {
  DoctorOptions options;
  options.model = OCELLI_SOURCE_DIR "/tests/golden/data/checkpoint_tied";
  options.verify = true;
  const DoctorReport report = Examine(options);
  EXPECT_EQ(report.model_fault, "");
  EXPECT_GT(report.peaks.flops, 1e6);
  EXPECT_GT(report.peaks.bytes_per_second, 1e6);
  EXPECT_TRUE(report.forecast.has_value());
  EXPECT_THAT(report.verified, HasSubstr("without a hub's hashes"));
  EXPECT_THAT(ReportLines(report), Contains(HasSubstr("to the first token of a 336 x 336")));
}

TEST(DoctorReportTest, AMissingModelIsAFaultAndTheRestIsStillSaid) {
  DoctorOptions options;
  options.model = "/nowhere";
  const DoctorReport report = Examine(options);
  EXPECT_THAT(report.model_fault, HasSubstr("/nowhere"));
  EXPECT_THAT(ReportLines(report), Contains(HasSubstr("GFLOP/s")));
}

TEST(DoctorReportTest, AdvisesWhatHelpsAndNothingElse) {
  DoctorReport report;
  report.kernels = "avx2";
  report.threads.physical_cores = 4;
  report.threads.threads = 4;
  report.threads.allowed_cpus = 4;
  report.memory.available_bytes = uint64_t{8} << 30;
  EXPECT_THAT(Advice(report), IsEmpty());
  report.threads.quota_cpus = 1.5;
  EXPECT_THAT(Advice(report), Contains(HasSubstr("quota (1.50) is below the 4 cores")));
  report.threads.SetByHand(16);
  EXPECT_THAT(Advice(report), Contains(HasSubstr("16 threads on 4 cores")));
  report.huge_pages.system_mode = "never";
  EXPECT_THAT(Advice(report), Contains(HasSubstr("transparent_hugepage/enabled")));
  report.load = 9;
  EXPECT_THAT(Advice(report), Contains(HasSubstr("busy (load 9.0 on 4 CPUs)")));
  report.needed_bytes = uint64_t{7} << 30;
  EXPECT_THAT(Advice(report), Contains(HasSubstr("memory is tight")));
  report.port_fault = "in use";
  EXPECT_THAT(Advice(report), Contains(HasSubstr("--port")));
}

TEST(DoctorReportTest, ATakenPortIsSaid) {
  const Descriptor taken(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(taken.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(taken.get(), 1), 0);
  getsockname(taken.get(), reinterpret_cast<sockaddr*>(&address), &size);
  EXPECT_NE(PortFault(ntohs(address.sin_port)), "");
}

}  // namespace
}  // namespace ocelli::cli
