#include "cli/latency_stats.h"

#include "gtest/gtest.h"

namespace ocelli::cli {
namespace {

TEST(Percentile, IsAValueThatWasSeen) {
  EXPECT_EQ(Percentile({}, 50), 0);
  EXPECT_EQ(Percentile({7}, 99), 7);
  EXPECT_EQ(Percentile({4, 1, 3, 2}, 50), 2);
  EXPECT_EQ(Percentile({4, 1, 3, 2}, 0), 1);
  EXPECT_EQ(Percentile({4, 1, 3, 2}, 100), 4);
  std::vector<double> hundred;
  for (int i = 100; i >= 1; --i) hundred.push_back(i);
  EXPECT_EQ(Percentile(hundred, 90), 90);
  EXPECT_EQ(Percentile(hundred, 99), 99);
}

TEST(Overlaps, AreWhereEnoughSpansMeet) {
  using Spans = std::vector<TimeSpan>;
  EXPECT_EQ(Overlaps({}, 1), Spans());
  EXPECT_EQ(Overlaps({{1, 2}, {4, 6}}, 1), (Spans{{1, 2}, {4, 6}}));
  EXPECT_EQ(Overlaps({{4, 6}, {1, 5}}, 1), (Spans{{1, 6}}));
  EXPECT_EQ(Overlaps({{4, 6}, {1, 5}}, 2), (Spans{{4, 5}}));
  EXPECT_EQ(Overlaps({{0, 10}, {2, 3}, {9, 11}}, 2), (Spans{{2, 3}, {9, 10}}));
  EXPECT_EQ(Overlaps({{0, 1}, {1, 2}}, 2), Spans());
  EXPECT_EQ(Overlaps({{0, 1}}, 2), Spans());
}

}  // namespace
}  // namespace ocelli::cli
