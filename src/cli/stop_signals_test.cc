#include "cli/stop_signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "cli/interrupt.h"

namespace ocelli::cli {
namespace {

// Signals that arrive at a process of its own, as they do at a server.
class StopSignalsDeathTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_P(StopSignalsDeathTest, EndsTheProcessWhileNothingIsServed) {
  EXPECT_EXIT(
      {
        const StopSignals signals;
        std::thread busy([] { pause(); });
        kill(getpid(), GetParam());
        busy.join();
      },
      testing::ExitedWithCode(0), "before the model is loaded");
}

TEST_P(StopSignalsDeathTest, OnceHeldASignalIsWaitedForAndTheNextOneEndsTheProcess) {
  EXPECT_EXIT(
      {
        StopSignals signals;
        signals.Hold();
        kill(getpid(), GetParam());
        signals.Wait();
        static_cast<void>(!write(STDERR_FILENO, "drains", 6));
        kill(getpid(), SIGTERM);
        pause();
      },
      testing::KilledBySignal(SIGTERM), "drains");
}

TEST_P(StopSignalsDeathTest, AnInterruptGuardInBetweenPutsThemBack) {
  EXPECT_EXIT(
      {
        const StopSignals signals;
        {
          const InterruptGuard download;
          kill(getpid(), GetParam());
          if (!download.interrupted()) _exit(2);
        }
        kill(getpid(), GetParam());
        pause();
      },
      testing::ExitedWithCode(0), "before the model is loaded");
}

INSTANTIATE_TEST_SUITE_P(Signals, StopSignalsDeathTest, testing::Values(SIGINT, SIGTERM));

TEST(StopSignals, LeavesTheSignalsAsTheyWere) {
  struct sigaction before {};
  struct sigaction after {};
  sigaction(SIGTERM, nullptr, &before);
  { const StopSignals signals; }
  sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

}  // namespace
}  // namespace ocelli::cli
