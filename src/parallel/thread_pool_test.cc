#include "parallel/thread_pool.h"

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <vector>

#include "gtest/gtest.h"

namespace ocelli {
namespace {

TEST(ThreadPool, RunsEveryWorkerOnce) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 200; ++round) {
      std::vector<std::atomic<int>> calls(static_cast<size_t>(threads));
      pool.Run([&](int worker) { ++calls[static_cast<size_t>(worker)]; });
      for (const auto& count : calls) ASSERT_EQ(count, 1);
    }
    EXPECT_EQ(pool.num_jobs(), 200u);
  }
}

TEST(ThreadPool, ForEachVisitsEveryTaskOnce) {
  ThreadPool pool(3);
  for (size_t count : {size_t{0}, size_t{1}, size_t{2}, size_t{1000}}) {
    std::vector<std::atomic<int>> visits(count);
    pool.ForEach(count, [&](size_t task, int worker) {
      ASSERT_LT(worker, 3);
      ++visits[task];
    });
    for (const auto& visit : visits) ASSERT_EQ(visit, 1);
  }
}

TEST(ThreadPool, ForRangesCoversInGranules) {
  ThreadPool pool(4);
  for (size_t count : {size_t{0}, size_t{1}, size_t{15}, size_t{16}, size_t{17}, size_t{1000}}) {
    std::vector<std::atomic<int>> visits(count);
    pool.ForRanges(count, 16, [&](size_t begin, size_t end, int) {
      EXPECT_EQ(begin % 16, 0u);
      EXPECT_TRUE(end % 16 == 0 || end == count);
      for (size_t i = begin; i < end; ++i) ++visits[i];
    });
    for (const auto& visit : visits) ASSERT_EQ(visit, 1);
  }
}

TEST(ThreadPool, NoWakeUpIsLostWhenWorkersFallAsleepBetweenJobs) {
  ThreadPool pool(3);
  std::atomic<int> calls{0};
  constexpr int kRounds = 3000;
  for (int round = 0; round < kRounds; ++round) {
    pool.Run([&](int worker) {
      if (worker == round % 3) std::this_thread::sleep_for(std::chrono::microseconds(round % 50));
      ++calls;
    });
    // About the time that workers spin, so some sleep and some do not.
    std::this_thread::sleep_for(std::chrono::microseconds(round % 60));
  }
  EXPECT_EQ(calls, 3 * kRounds);
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST(ThreadPool, AnIdlePoolUsesNoCpu) {
  ThreadPool pool(4);
  pool.Run([](int) {});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const double before = CpuSeconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LT(CpuSeconds() - before, 0.03);
}

}  // namespace
}  // namespace ocelli
