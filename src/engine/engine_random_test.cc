#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/engine_core.h"
#include "engine/fake_model_runner.h"
#include "engine/test_engine.h"

namespace ocelli {
namespace {

constexpr uint64_t kNumPrompts = 40;

// Request number `n` of a fixed list: prompts that share starts and pictures in many ways.
GenerateRequest RequestNumber(uint64_t n) {
  std::string prompt = n % 3 == 0 ? "system words that many prompts share, at some length: " : "";
  std::vector<std::shared_ptr<const Patches>> pictures;
  for (uint64_t i = 0; i < n % 4 % 3; ++i) {
    prompt += i == 0 ? "#" : ",#";
    pictures.push_back(FakePatches(n / 4 % 5 + i, 1 + n % 3, 4));
  }
  prompt += std::string(n * 13 % 90, static_cast<char>('a' + n % 2)) + std::to_string(n);
  GenerateRequest request = MakeRequest(prompt, 1 + n * 37 % 120, std::move(pictures));
  request.params.n = n % 9 == 0 ? 3 : 1;
  request.params.temperature = n % 2 == 0 ? 0.0f : 1.0f;
  request.params.seed = n;
  request.params.repetition_penalty = n % 5 == 0 ? 1.2f : 1.0f;
  return request;
}

// Every choice's tokens.
using Answers = std::vector<std::vector<TokenId>>;

Answers AnswersOf(const Outcome& outcome) {
  Answers answers;
  for (const auto& [choice, answer] : outcome.choices) answers.push_back(answer.ids);
  return answers;
}

bool IsStartOf(const std::vector<TokenId>& start, const std::vector<TokenId>& whole) {
  return start.size() <= whole.size() && std::equal(start.begin(), start.end(), whole.begin());
}

// Counts the references that running sequences hold, and compares them with the block manager's.
void CheckReferences(EngineCore& core) {
  core.blocks().CheckInvariants();
  std::map<KvBlockId, uint32_t> references;
  for (const Sequence* sequence : core.scheduler().running()) {
    for (const KvBlockId id : sequence->blocks) ++references[id];
    ASSERT_LE(sequence->num_computed, sequence->blocks.size() * kKvBlockTokens);
    ASSERT_LT(sequence->num_computed, sequence->num_tokens());
  }
  for (const Sequence* sequence : core.scheduler().waiting()) {
    ASSERT_TRUE(sequence->blocks.empty());
    ASSERT_EQ(sequence->picture, nullptr);
  }
  for (KvBlockId id = 0; id < core.blocks().num_blocks(); ++id) {
    const auto found = references.find(id);
    ASSERT_EQ(core.blocks().ref_count(id), found == references.end() ? 0 : found->second) << id;
  }
  ASSERT_LE(core.vision().cache().used_bytes(), core.vision().cache().budget_bytes());
}

// 10,000 steps of arrivals, cancellations, deadlines, preemptions and evictions. After each step
// every count must be right; every answer must be the one of a quiet engine, whole if it was left
// alone; whoever waits must get on.
class EngineWalk {
 public:
  explicit EngineWalk(uint32_t seed, size_t max_draft_tokens) : random_(seed) {
    options_ = SmallOptions(11, 40);
    options_.max_sequences = 5;
    options_.prefill_chunk_tokens = 24;
    options_.shared_prefill_chunk_tokens = 9;
    options_.max_draft_tokens = max_draft_tokens;
    engine_ = std::make_unique<TestEngine>(options_);
    for (uint64_t n = 0; n < kNumPrompts; ++n) {
      TestEngine quiet;
      expected_.push_back(AnswersOf(quiet.Answer(RequestNumber(n))));
    }
  }

  void Run(size_t num_steps) {
    for (size_t step = 0; step < num_steps; ++step) {
      if (live_.size() < 12 && random_() % 3 == 0) Arrive();
      if (!live_.empty() && random_() % 40 == 0) Leave();
      engine_->Advance(std::chrono::milliseconds(1));
      engine_->Step();
      ASSERT_NO_FATAL_FAILURE(CheckReferences(engine_->core()));
      ASSERT_NO_FATAL_FAILURE(CollectFinished(step));
    }
    engine_->FinishAll();
    CollectFinished(num_steps);
  }

  void CheckNothingIsLeft() {
    const EngineStats stats = engine_->core().Stats();
    EXPECT_TRUE(live_.empty());
    EXPECT_EQ(stats.kv_blocks_in_use, 0u);
    EXPECT_EQ(stats.requests_finished, stats.requests_accepted);
    EXPECT_GT(stats.preemptions, 20u);
    EXPECT_GT(stats.cached_tokens, 1000u);
    EXPECT_GT(stats.pictures_encoded, 50u);
    EXPECT_GT(stats.requests_cancelled, 50u);
    EXPECT_GT(num_whole_, 300u);
    if (options_.max_draft_tokens > 0) {
      EXPECT_GT(stats.draft_tokens, 30u);
    }
  }

 private:
  struct Live {
    uint64_t number;
    size_t arrived;
    bool cancelled = false;
  };

  void Arrive() {
    const uint64_t number = random_() % kNumPrompts;
    GenerateRequest request = RequestNumber(number);
    if (random_() % 20 == 0) {
      request.deadline = engine_->now() + std::chrono::milliseconds(random_() % 60);
    }
    live_[engine_->Add(std::move(request))] = {number, step_};
  }

  void Leave() {
    auto chosen = live_.begin();
    std::advance(chosen, random_() % live_.size());
    engine_->core().Cancel(chosen->first);
  }

  void CollectFinished(size_t step) {
    step_ = step;
    for (auto next = live_.begin(); next != live_.end();) {
      const auto [id, live] = *next;
      const Outcome& outcome = engine_->outcome(id);
      if (outcome.finished) {
        ASSERT_NO_FATAL_FAILURE(CheckAnswer(outcome, live.number));
        next = live_.erase(next);
      } else {
        ASSERT_LT(step - live.arrived, 3000u) << "request " << id << " starves";
        ++next;
      }
    }
  }

  void CheckAnswer(const Outcome& outcome, uint64_t number) {
    const FinishReason reason = outcome.finished->reason;
    const bool whole = reason == FinishReason::kStop || reason == FinishReason::kLength;
    if (whole) {
      ++num_whole_;
      ASSERT_EQ(AnswersOf(outcome), expected_[number]) << "prompt " << number;
      return;
    }
    ASSERT_TRUE(reason == FinishReason::kCancelled || reason == FinishReason::kDeadline);
    for (const auto& [choice, answer] : outcome.choices) {
      ASSERT_TRUE(IsStartOf(answer.ids, expected_[number][choice])) << "prompt " << number;
    }
  }

  std::mt19937 random_;
  EngineOptions options_;
  std::vector<Answers> expected_;  // by prompt
  std::unique_ptr<TestEngine> engine_;
  std::map<RequestId, Live> live_;
  size_t step_ = 0;
  size_t num_whole_ = 0;
};

TEST(EngineWalk, TenThousandRandomStepsKeepEveryInvariant) {
  EngineWalk walk(1, 0);
  ASSERT_NO_FATAL_FAILURE(walk.Run(10'000));
  walk.CheckNothingIsLeft();
}

TEST(EngineWalk, TenThousandRandomStepsWithGuessesKeepEveryInvariant) {
  EngineWalk walk(2, 4);
  ASSERT_NO_FATAL_FAILURE(walk.Run(10'000));
  walk.CheckNothingIsLeft();
}

}  // namespace
}  // namespace ocelli
