#include "engine/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "engine/fake_model_runner.h"

namespace ocelli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A scheduler whose model only answers that a token came.
class SchedulerTest : public ::testing::Test {
 protected:
  void Make(size_t num_blocks, EngineOptions options = {}) {
    blocks_ = std::make_unique<BlockManager>(num_blocks, options.prefix_cache);
    runner_.Plan({num_blocks, 1, 1, 1});
    scheduler_ = std::make_unique<Scheduler>(options, *blocks_, runner_);
    limits_ = {options.prefill_chunk_tokens, options.shared_prefill_chunk_tokens};
  }

  Sequence& Add(size_t prompt_tokens, TokenId first = 0, size_t max_new_tokens = 200,
                std::vector<PictureRun> runs = {}) {
    std::vector<TokenId> token_ids(prompt_tokens);
    std::iota(token_ids.begin(), token_ids.end(), first);
    return Add(std::move(token_ids), max_new_tokens, std::move(runs));
  }

  Sequence& Add(std::vector<TokenId> token_ids, size_t max_new_tokens,
                std::vector<PictureRun> runs) {
    auto prompt = std::make_shared<PromptContent>();
    prompt->token_ids = std::move(token_ids);
    for (const TokenId id : prompt->token_ids) prompt->units.push_back(ContentUnit::Token(id));
    prompt->runs = std::move(runs);
    const size_t order = sequences_.size();
    const size_t max_tokens = prompt->token_ids.size() + max_new_tokens;
    sequences_.push_back(
        std::make_unique<Sequence>(std::move(prompt), order, max_tokens, max_draft_tokens_));
    scheduler_->Add(*sequences_.back());
    return *sequences_.back();
  }

  // Adds a prompt of `start` and `more` tokens of its own.
  Sequence& Add(std::span<const TokenId> start, size_t more) {
    std::vector<TokenId> token_ids(start.begin(), start.end());
    for (size_t i = 0; i < more; ++i) token_ids.push_back(9000 + static_cast<TokenId>(i));
    return Add(std::move(token_ids), 200, {});
  }

  // Makes a scheduler that has read a prompt of 40 tokens and written 3.
  Sequence& MakeAnswered() {
    Make(64);
    Sequence& sequence = Add(40);
    while (sequence.num_answer_tokens() < 3) Step();
    return sequence;
  }

  // One step: returns each chunk as {order, tokens}. Every sequence that gets logits writes token
  // 7777 + its order.
  std::vector<std::pair<uint64_t, size_t>> Step() {
    scheduler_->Admit();
    std::vector<std::pair<uint64_t, size_t>> result;
    for (const Chunk& chunk : scheduler_->NextBatch(limits_)) {
      Sequence& sequence = *chunk.sequence;
      result.emplace_back(sequence.order(), chunk.num_tokens);
      scheduler_->Commit(sequence, chunk.num_tokens - sequence.num_guesses());
      sequence.EndGuesses(0, 0);
      if (chunk.num_logits > 0) {
        sequence.AppendToken(static_cast<TokenId>(7777 + sequence.order()));
      }
    }
    blocks_->CheckInvariants();
    return result;
  }

  static auto Orders(std::span<Sequence* const> list) {
    std::vector<uint64_t> orders;
    for (const Sequence* sequence : list) orders.push_back(sequence->order());
    return orders;
  }

  size_t max_draft_tokens_ = 0;
  FakeModelRunner runner_;
  ChunkLimits limits_;
  std::unique_ptr<BlockManager> blocks_;
  std::vector<std::unique_ptr<Sequence>> sequences_;
  std::unique_ptr<Scheduler> scheduler_;
};

using Scheduled = std::vector<std::pair<uint64_t, size_t>>;

TEST_F(SchedulerTest, ReadsAPromptInChunksAndThenWrites) {
  EngineOptions options;
  options.prefill_chunk_tokens = 100;
  Make(16, options);
  Add(250);
  EXPECT_EQ(Step(), (Scheduled{{0, 100}}));
  EXPECT_EQ(Step(), (Scheduled{{0, 100}}));
  EXPECT_EQ(Step(), (Scheduled{{0, 50}}));
  EXPECT_EQ(Step(), (Scheduled{{0, 1}}));
  EXPECT_EQ(Step(), (Scheduled{{0, 1}}));
}

TEST_F(SchedulerTest, StreamsKeepWritingWhileAPromptIsReadInShorterChunks) {
  EngineOptions options;
  options.prefill_chunk_tokens = 100;
  options.shared_prefill_chunk_tokens = 10;
  Make(32, options);
  Add(5);
  Step();
  Add(300, 1000);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(Step(), (Scheduled{{0, 1}, {1, 10}})) << i;
  EXPECT_EQ(Step(), (Scheduled{{0, 1}, {1, 1}}));
}

TEST_F(SchedulerTest, AShortPromptPassesALongOneThatGoesOn) {
  EngineOptions options;
  options.prefill_chunk_tokens = 20;
  Make(64, options);
  Add(500, 0);
  EXPECT_EQ(Step(), (Scheduled{{0, 20}}));
  Add(15, 1000);
  EXPECT_EQ(Step(), (Scheduled{{1, 10}, {0, 10}}));
  EXPECT_EQ(Step(), (Scheduled{{1, 5}, {0, 15}}));
}

TEST_F(SchedulerTest, EqualPromptsAreReadInOrderOfArrival) {
  EngineOptions options;
  options.prefill_chunk_tokens = 50;
  Make(64, options);
  Add(100, 0);
  Add(100, 1000);
  EXPECT_EQ(Step(), (Scheduled{{0, 50}}));
  EXPECT_EQ(Step(), (Scheduled{{0, 50}}));
}

TEST_F(SchedulerTest, AFullStepGoesToWhoeverIsReady) {
  EngineOptions options;
  options.prefill_chunk_tokens = 100;
  Make(64, options);
  Add(10, 0);
  Add(20, 1000);
  Add(200, 2000);
  EXPECT_EQ(Step(), (Scheduled{{0, 10}, {1, 20}, {2, 70}}));
}

TEST_F(SchedulerTest, AsManyRunAsThereArePlaces) {
  EngineOptions options;
  options.max_sequences = 2;
  Make(64, options);
  Add(5, 0);
  Add(5, 1000);
  Sequence& third = Add(5, 2000);
  Step();
  EXPECT_THAT(Orders(scheduler_->running()), ElementsAre(0, 1));
  EXPECT_THAT(Orders(scheduler_->waiting()), ElementsAre(2));
  scheduler_->Remove(*sequences_[0]);
  Step();
  EXPECT_THAT(Orders(scheduler_->running()), ElementsAre(1, 2));
  EXPECT_GT(third.num_computed, 0u);
}

TEST_F(SchedulerTest, ALaterPromptThatWouldFitDoesNotOvertakeOneThatWaitsForMemory) {
  Make(4);
  Add(90, 0);
  Add(90, 1000);
  Add(5, 2000);
  Step();
  EXPECT_THAT(Orders(scheduler_->running()), ElementsAre(0));
  EXPECT_THAT(Orders(scheduler_->waiting()), ElementsAre(1, 2));
}

TEST_F(SchedulerTest, PreemptsNewestWhenBlocksRunOut) {
  Make(6);
  Add(60, 0);
  Add(60, 1000);
  while (scheduler_->num_preemptions() == 0) Step();
  EXPECT_THAT(Orders(scheduler_->running()), ElementsAre(0));
  EXPECT_THAT(Orders(scheduler_->waiting()), ElementsAre(1));
  EXPECT_TRUE(sequences_[1]->blocks.empty());
  EXPECT_EQ(sequences_[1]->num_computed, 0u);
  EXPECT_GT(sequences_[1]->num_answer_tokens(), 0u);
}

TEST_F(SchedulerTest, APreemptedSequenceComesBackBeforeNewerOnes) {
  Make(6);
  Add(60, 0);
  Add(60, 1000);
  while (scheduler_->num_preemptions() == 0) Step();
  Add(5, 2000);
  Step();
  EXPECT_THAT(Orders(scheduler_->waiting()), ElementsAre(1, 2));
  const size_t answered = sequences_[1]->num_answer_tokens();
  scheduler_->Remove(*sequences_[0]);
  Step();
  EXPECT_THAT(Orders(scheduler_->running()), ElementsAre(1, 2));
  while (sequences_[1]->num_answer_tokens() == answered) Step();
}

TEST_F(SchedulerTest, TheOldestIsNeverPreemptedAndEveryoneEnds) {
  Make(8);
  for (TokenId i = 0; i < 5; ++i) Add(50, 1000 * i, 190);
  size_t ended = 0;
  for (int step = 0; step < 5000 && ended < 5; ++step) {
    Step();
    for (auto& sequence : sequences_) {
      if (!sequence || sequence->num_tokens() < sequence->max_tokens()) continue;
      EXPECT_EQ(sequence->order(), ended) << "the oldest ends first under memory pressure";
      scheduler_->Remove(*sequence);
      sequence.reset();
      ++ended;
    }
  }
  EXPECT_EQ(ended, 5u);
  EXPECT_GT(scheduler_->num_preemptions(), 0u);
  EXPECT_EQ(blocks_->num_available(), 8u);
}

TEST_F(SchedulerTest, TheSameStartIsComputedOnceEvenAtTheSameTime) {
  EngineOptions options;
  options.prefill_chunk_tokens = 16;
  Make(64, options);
  Add(100);
  Add(100);
  Step();
  EXPECT_THAT(Orders(scheduler_->waiting()), ElementsAre(1));
  while (sequences_[0]->num_answer_tokens() == 0) Step();
  Step();
  EXPECT_THAT(Orders(scheduler_->running()), ElementsAre(0, 1));
  EXPECT_EQ(sequences_[1]->num_computed, 100u) << "99 from the cache, one of its own";
  EXPECT_EQ(sequences_[1]->blocks[0], sequences_[0]->blocks[0]);
  EXPECT_NE(sequences_[1]->blocks[3], sequences_[0]->blocks[3]) << "the tail is a copy";
}

TEST_F(SchedulerTest, TheNextTurnGoesOnInTheLastBlockOfTheOneBefore) {
  Sequence& first = MakeAnswered();
  const std::vector<KvBlockId> blocks = first.blocks;
  scheduler_->Remove(first);
  Sequence& second = Add(first.token_ids(), 10);
  Step();
  EXPECT_EQ(second.blocks, blocks) << "nothing is copied";
  EXPECT_EQ(runner_.num_copies(), 0u);
  EXPECT_EQ(second.num_computed, 53u) << "11 tokens behind 42 from the cache";
}

TEST_F(SchedulerTest, ATailThatIsInUseIsCopied) {
  Sequence& first = MakeAnswered();
  Sequence& second = Add(first.token_ids(), 10);
  Step();
  EXPECT_EQ(second.blocks[0], first.blocks[0]);
  EXPECT_NE(second.blocks[1], first.blocks[1]);
  EXPECT_EQ(runner_.num_copies(), 1u);
}

TEST_F(SchedulerTest, ATailThatHoldsMoreThanIsWantedIsCopied) {
  Sequence& first = MakeAnswered();
  const std::vector<KvBlockId> blocks = first.blocks;
  scheduler_->Remove(first);
  Sequence& second = Add(std::span(first.token_ids()).first(38), 10);
  Step();
  EXPECT_EQ(second.blocks[0], blocks[0]);
  EXPECT_NE(second.blocks[1], blocks[1]);
  EXPECT_EQ(runner_.num_copies(), 1u);
}

TEST_F(SchedulerTest, OneThatWaitsForASharedStartDoesNotStopOthers) {
  Make(64);
  Add(100);
  Add(100);
  Add(100, 5000);
  Step();
  EXPECT_THAT(Orders(scheduler_->running()), ElementsAre(0, 2));
}

TEST_F(SchedulerTest, ASharedStartIsComputedByTheSecondWhenTheFirstLeaves) {
  EngineOptions options;
  options.prefill_chunk_tokens = 16;
  Make(64, options);
  Add(100);
  Add(100);
  Step();
  scheduler_->Remove(*sequences_[0]);
  EXPECT_EQ(Step(), (Scheduled{{1, 16}}));
  EXPECT_EQ(sequences_[1]->num_computed, 32u) << "16 tokens of the first were kept";
}

TEST_F(SchedulerTest, AFinishedPromptIsReusedWithItsAnswer) {
  Make(64);
  Sequence& first = Add(100);
  for (int i = 0; i < 12; ++i) Step();
  const std::vector<TokenId> known(first.token_ids());
  scheduler_->Remove(first);
  auto prompt = std::make_shared<PromptContent>();
  prompt->token_ids = known;
  prompt->token_ids.push_back(4242);
  for (const TokenId id : prompt->token_ids) prompt->units.push_back(ContentUnit::Token(id));
  Sequence second(prompt, 1, 200, 0);
  scheduler_->Add(second);
  scheduler_->Admit();
  EXPECT_EQ(second.num_computed, known.size() - 1) << "all but the last token, never computed";
  scheduler_->Remove(second);
}

TEST_F(SchedulerTest, WithoutPrefixCacheNothingIsSharedOrHeldBack) {
  EngineOptions options;
  options.prefix_cache = false;
  Make(64, options);
  Add(40);
  Add(40);
  EXPECT_EQ(Step(), (Scheduled{{0, 40}, {1, 40}}));
}

TEST_F(SchedulerTest, ReadsUpToAPictureThatIsNotThere) {
  Make(64);
  auto patches = FakePatches(1, 4, 5);
  Sequence& sequence = Add(100, 0, 10, {{30, 50, patches}});
  EXPECT_EQ(Step(), (Scheduled{{0, 30}}));
  EXPECT_TRUE(sequence.AtPicture());
  EXPECT_THAT(Step(), IsEmpty());
  class Picture : public EncodedPicture {};
  sequence.picture = std::make_shared<Picture>();
  EXPECT_EQ(Step(), (Scheduled{{0, 70}}));
  EXPECT_EQ(sequence.picture, nullptr) << "given back as soon as it is read";
}

TEST_F(SchedulerTest, GuessesRideAlongWhileMemoryIsPlenty) {
  EngineOptions options;
  options.max_draft_tokens = max_draft_tokens_ = 4;
  Make(64, options);
  Sequence& sequence = Add(20);
  Step();
  for (int i = 0; i < 4; ++i) Step();  // the answer repeats itself from now on
  EXPECT_EQ(Step(), (Scheduled{{0, 5}}));
  EXPECT_EQ(sequence.num_guesses(), 0u);
}

TEST_F(SchedulerTest, GuessesTakeNoBlockWhenMemoryIsShort) {
  EngineOptions options;
  options.max_draft_tokens = max_draft_tokens_ = 4;
  Make(1, options);
  Add(20, 0, 13);
  for (int i = 0; i < 5; ++i) Step();
  while (sequences_[0]->num_tokens() < 31) {
    const size_t room = 32 - sequences_[0]->num_tokens();
    EXPECT_EQ(Step(), (Scheduled{{0, 1 + std::min<size_t>(room, 4)}}));
  }
}

TEST_F(SchedulerTest, StreamsShareTheRowsThatCostLittle) {
  EngineOptions options;
  options.max_draft_tokens = max_draft_tokens_ = 4;
  options.max_sequences = 8;
  Make(64, options);
  for (int i = 0; i < 8; ++i) {
    Add(20, static_cast<TokenId>(1000 * i), 150);
    for (int step = 0; step < 6; ++step) Step();  // every answer repeats itself by now
    const size_t cheap = 8 / static_cast<size_t>(i + 1);
    const size_t rows = 1 + std::min<size_t>(4, cheap - 1);
    for (const auto& [order, num_tokens] : Step()) EXPECT_EQ(num_tokens, rows) << i + 1;
  }
}

TEST_F(SchedulerTest, NothingIsGuessedPastTheEndOfTheAnswer) {
  EngineOptions options;
  options.max_draft_tokens = max_draft_tokens_ = 4;
  Make(64, options);
  Sequence& sequence = Add(20, 0, 8);
  while (sequence.num_answer_tokens() < 7) Step();
  EXPECT_EQ(Step(), (Scheduled{{0, 1}}));
}

}  // namespace
}  // namespace ocelli
