#include "engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "engine/event_queue.h"
#include "engine/fake_model_runner.h"
#include "engine/test_engine.h"

namespace ocelli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

// Holds the engine thread at its next pass until the test opens it.
class Gate {
 public:
  void Pass() {
    std::unique_lock lock(mutex_);
    ++num_arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void WaitForArrival() {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, seconds(60), [this] { return num_arrived_ > 0; }));
  }
  void Open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int num_arrived_ = 0;
  bool open_ = false;
};

std::unique_ptr<Engine> MakeEngine(const EngineOptions& options = SmallOptions(),
                                   std::function<void()> on_forward = {}) {
  auto runner = std::make_unique<FakeModelRunner>();
  runner->on_forward = std::move(on_forward);
  auto engine = Engine::Create(options, std::move(runner), ByteTokenizer());
  EXPECT_TRUE(engine.ok());
  return std::move(engine).value();
}

// Takes the events of a request until the last.
Outcome Collect(EventQueue& queue) {
  Outcome outcome;
  while (!outcome.finished) {
    auto event = queue.Pop(milliseconds(60'000));
    if (!event) {
      ADD_FAILURE() << "no event for a minute";
      break;
    }
    outcome.Add(std::move(*event));
  }
  return outcome;
}

TEST(Engine, AnswersThroughAQueue) {
  const auto engine = MakeEngine();
  const auto queue = EventQueue::Make();
  ASSERT_TRUE(
      engine->Submit(MakeRequest("hello #", 6, {FakePatches(1, 2, 2)}), queue->Sink()).ok());
  const Outcome outcome = Collect(*queue);
  EXPECT_EQ(outcome.ids().size(), 6u);
  TestEngine quiet;
  EXPECT_EQ(outcome.ids(), quiet.Answer(MakeRequest("hello #", 6, {FakePatches(1, 2, 2)})).ids());
}

TEST(Engine, RefusesOptionsWithoutRoomAndWithoutSense) {
  const auto create = [](const EngineOptions& options) {
    auto engine = Engine::Create(options, std::make_unique<FakeModelRunner>(), ByteTokenizer());
    EXPECT_FALSE(engine.ok());
    return engine.ok() ? Error{} : engine.error();
  };
  EngineOptions no_memory = SmallOptions();
  no_memory.kv_memory_bytes = FakeModelRunner::kBlockBytes - 1;
  EXPECT_EQ(create(no_memory).code, ErrorCode::kResourceExhausted);
  EngineOptions no_queue = SmallOptions();
  no_queue.max_queue = 0;
  EXPECT_EQ(create(no_queue).param, "max_queue");
  EngineOptions no_chunk = SmallOptions();
  no_chunk.shared_prefill_chunk_tokens = 0;
  EXPECT_EQ(create(no_chunk).param, "shared_prefill_chunk_tokens");
}

TEST(Engine, AFullQueueRefusesAtOnceAndTakesRequestsAgainLater) {
  Gate gate;
  EngineOptions options = SmallOptions();
  options.max_queue = 3;
  options.max_sequences = 1;
  const auto engine = MakeEngine(options, [&gate] { gate.Pass(); });
  const auto queue = EventQueue::Make();
  ASSERT_TRUE(engine->Submit(MakeRequest("running", 2), queue->Sink()).ok());
  gate.WaitForArrival();
  std::vector<std::shared_ptr<EventQueue>> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.push_back(EventQueue::Make());
    ASSERT_TRUE(engine->Submit(MakeRequest("waiting", 2), waiting.back()->Sink()).ok()) << i;
  }
  const auto refused = engine->Submit(MakeRequest("refused", 2), [](Event) { FAIL(); });
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(refused.error().message, HasSubstr("3 requests wait"));
  EXPECT_EQ(engine->Stats().requests_refused, 1u);
  gate.Open();
  for (const auto& one : waiting) Collect(*one);
  EXPECT_TRUE(engine->Submit(MakeRequest("again", 2), queue->Sink()).ok());
}

TEST(Engine, TwoHundredRequestsAtOnceAreAnsweredOrRefusedAndNoneIsLost) {
  EngineOptions options = SmallOptions();
  options.max_queue = 20;
  const auto engine = MakeEngine(options);
  std::atomic<int> finished = 0;
  std::atomic<int> accepted = 0;
  std::atomic<int> refused = 0;
  std::vector<std::thread> clients;
  for (int client = 0; client < 4; ++client) {
    clients.emplace_back([&, client] {
      for (int i = 0; i < 50; ++i) {
        auto request = MakeRequest("#" + std::to_string(i % 7), 5,
                                   {FakePatches(static_cast<uint64_t>(client + i % 3), 2, 2)});
        const auto id = engine->Submit(std::move(request), [&finished](const Event& event) {
          if (std::holds_alternative<FinishedEvent>(event)) ++finished;
        });
        id.ok() ? ++accepted : ++refused;
        if (id.ok() && i % 5 == 0) engine->Cancel(*id);
        engine->Stats();
      }
    });
  }
  for (std::thread& client : clients) client.join();
  engine->Drain();
  EXPECT_EQ(accepted + refused, 200);
  EXPECT_EQ(finished, accepted);
  const EngineStats stats = engine->Stats();
  EXPECT_EQ(stats.requests_refused, static_cast<uint64_t>(refused));
  EXPECT_EQ(stats.waiting_requests, 0u);
  EXPECT_EQ(stats.kv_blocks_in_use, 0u);
}

TEST(Engine, EachOfEightClientsGetsItsSoloAnswer) {
  std::vector<GenerateRequest> requests;
  std::vector<std::vector<TokenId>> expected;
  for (uint64_t i = 0; i < 8; ++i) {
    requests.push_back(i % 2 == 0 ? MakeRequest("text only " + std::to_string(i), 30)
                                  : MakeRequest("picture # here", 30, {FakePatches(i, 3, 3 + i)}));
    TestEngine quiet;
    expected.push_back(quiet.Answer(requests.back()).ids());
  }
  EngineOptions options = SmallOptions(16, 120);
  const auto engine = MakeEngine(options);
  std::vector<std::thread> clients;
  for (size_t i = 0; i < 8; ++i) {
    clients.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) {
        const auto queue = EventQueue::Make();
        ASSERT_TRUE(engine->Submit(requests[i], queue->Sink()).ok());
        EXPECT_EQ(Collect(*queue).ids(), expected[i]) << i;
      }
    });
  }
  for (std::thread& client : clients) client.join();
}

TEST(Engine, CancelEndsARequestThatRuns) {
  const auto engine =
      MakeEngine(SmallOptions(), [] { std::this_thread::sleep_for(milliseconds(1)); });
  const auto queue = EventQueue::Make();
  const auto id = engine->Submit(MakeRequest("long", 1500), queue->Sink());
  ASSERT_TRUE(id.ok());
  while (!std::holds_alternative<TokenEvent>(queue->Pop())) {
  }
  engine->Cancel(*id);
  engine->Cancel(*id + 17);
  FinishReason reason = FinishReason::kStop;
  for (bool last = false; !last;) {
    const Event event = queue->Pop();
    if (const auto* end = std::get_if<FinishedEvent>(&event)) {
      reason = end->reason;
      last = true;
    }
  }
  EXPECT_EQ(reason, FinishReason::kCancelled);
  engine->Drain();
  EXPECT_EQ(engine->Stats().requests_cancelled, 1u);
}

TEST(Engine, DrainFinishesWhatWasAcceptedAndRefusesTheRest) {
  const auto engine = MakeEngine();
  const auto queue = EventQueue::Make();
  ASSERT_TRUE(engine->Submit(MakeRequest("last", 50), queue->Sink()).ok());
  engine->Drain();
  EXPECT_EQ(Collect(*queue).ids().size(), 50u);
  const auto refused = engine->Submit(MakeRequest("late"), [](Event) { FAIL(); });
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
}

TEST(Engine, StopCancelsRunningAndWaitingRequests) {
  Gate gate;
  EngineOptions options = SmallOptions();
  options.max_sequences = 1;
  options.max_queue = 1'000'000;
  const auto engine = MakeEngine(options, [&gate] { gate.Pass(); });
  const auto running = EventQueue::Make();
  const auto waiting = EventQueue::Make();
  ASSERT_TRUE(engine->Submit(MakeRequest("running", 1000), running->Sink()).ok());
  gate.WaitForArrival();
  ASSERT_TRUE(engine->Submit(MakeRequest("waiting", 1000), waiting->Sink()).ok());
  std::thread stopper([&engine] { engine->Stop(); });
  // Once requests are refused, Stop has been called: the pass may end.
  while (engine->Submit(MakeRequest("late"), [](const Event&) {}).ok()) std::this_thread::yield();
  gate.Open();
  stopper.join();
  EXPECT_EQ(Collect(*running).finished->reason, FinishReason::kCancelled);
  EXPECT_EQ(Collect(*waiting).finished->reason, FinishReason::kCancelled);
  engine->Stop();
}

double ProcessCpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(Engine, AnIdleEngineUsesNoCpu) {
  const auto engine = MakeEngine();
  const auto queue = EventQueue::Make();
  ASSERT_TRUE(engine->Submit(MakeRequest("warm", 5), queue->Sink()).ok());
  Collect(*queue);
  const double before = ProcessCpuSeconds();
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_LT(ProcessCpuSeconds() - before, 0.03);
}

TEST(EventQueue, WaitsNoLongerThanAsked) {
  const auto queue = EventQueue::Make();
  EXPECT_FALSE(queue->Pop(milliseconds(1)).has_value());
  queue->Sink()(QueuedEvent{3});
  EXPECT_EQ(std::get<QueuedEvent>(*queue->Pop(milliseconds(1))).position, 3u);
}

}  // namespace
}  // namespace ocelli
