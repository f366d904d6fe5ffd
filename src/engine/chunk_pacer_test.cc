#include "engine/chunk_pacer.h"

#include <gtest/gtest.h>

namespace ocelli {
namespace {

EngineOptions Options() {
  EngineOptions options;
  options.prefill_chunk_tokens = 512;
  options.shared_prefill_chunk_tokens = 256;
  options.step_seconds = 1.0;
  options.shared_step_seconds = 0.25;
  return options;
}

TEST(ChunkPacer, StartsCarefully) {
  const ChunkLimits limits = ChunkPacer(Options()).Limits();
  EXPECT_EQ(limits.alone, 32u);
  EXPECT_EQ(limits.shared, 32u);
}

TEST(ChunkPacer, FillsTheTimeAskedFor) {
  ChunkPacer pacer(Options());
  pacer.Report(100, 1.0);
  EXPECT_EQ(pacer.Limits().alone, 100u);
  EXPECT_EQ(pacer.Limits().shared, 25u);
}

TEST(ChunkPacer, StaysWithinItsBounds) {
  ChunkPacer slow(Options());
  slow.Report(32, 1000.0);
  EXPECT_EQ(slow.Limits().alone, ChunkPacer::kMinChunkTokens);
  ChunkPacer fast(Options());
  fast.Report(32, 0.0);
  EXPECT_EQ(fast.Limits().alone, 512u);
  EXPECT_EQ(fast.Limits().shared, 256u);
}

TEST(ChunkPacer, FollowsTheMachineAndIgnoresTinyChunks) {
  ChunkPacer pacer(Options());
  pacer.Report(100, 1.0);
  pacer.Report(3, 50.0);
  EXPECT_EQ(pacer.Limits().alone, 100u);
  for (int i = 0; i < 30; ++i) pacer.Report(100, 2.0);
  EXPECT_NEAR(static_cast<double>(pacer.Limits().alone), 50.0, 1.0);
}

TEST(ChunkPacer, WithoutATimeTheChunkIsFixed) {
  EngineOptions options = Options();
  options.step_seconds = 0;
  options.shared_step_seconds = 0;
  options.shared_prefill_chunk_tokens = 3;
  ChunkPacer pacer(options);
  pacer.Report(100, 1000.0);
  EXPECT_EQ(pacer.Limits().alone, 512u);
  EXPECT_EQ(pacer.Limits().shared, 3u);
}

}  // namespace
}  // namespace ocelli
