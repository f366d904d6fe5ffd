#include "api/predict_task.h"

#include <string>

#include "api/test_support.h"
#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

TestJson JsonOf(const PredictTask& task) { return MustParse(task.Json()); }

TokenEvent Token(std::string text) {
  TokenEvent event;
  event.text = std::move(text);
  return event;
}

TEST(PredictTask, TellsEachPhase) {
  PredictTask task(TestContext());
  EXPECT_EQ(task.id(), "id-1");
  EXPECT_EQ(JsonOf(task).dump(),
            R"({"task_id":"id-1","object":"predict.task","status":"loading",)"
            R"("created_at":1700000000,"model":"m","progress":null,"text":"","result":null,)"
            R"("error":null,"expires_at":null})");
  task.Collect(QueuedEvent{2});
  EXPECT_EQ(JsonOf(task)["status"], "queued");
  EXPECT_EQ(JsonOf(task)["progress"].dump(), R"({"phase":"queue","position":2})");
  task.Collect(EncodingEvent{1, 2, 3, 24});
  EXPECT_EQ(JsonOf(task)["status"], "running");
  EXPECT_EQ(JsonOf(task)["progress"]["picture"], 2);
  task.Collect(PrefillEvent{10, 20});
  EXPECT_EQ(JsonOf(task)["progress"]["phase"], "prefill");
  task.Collect(Token("a"));
  EXPECT_EQ(JsonOf(task)["progress"].dump(), R"({"phase":"answer","tokens":1})");
  EXPECT_EQ(JsonOf(task)["text"], "a");
  EXPECT_FALSE(task.finished());
}

TEST(PredictTask, HasTheResultWhenDone) {
  PredictTask task(TestContext());
  task.Collect(Token("a"));
  task.Collect(ChoiceEvent{0, FinishReason::kLoop, "b", 7});
  FinishedEvent finished;
  finished.reason = FinishReason::kLoop;
  finished.usage.prompt_tokens = 300;
  finished.times.total = 1.5;
  task.Collect(finished);
  task.SetExpiry(1'700'003'600);
  EXPECT_TRUE(task.finished());
  const TestJson json = JsonOf(task);
  EXPECT_EQ(json["status"], "done");
  EXPECT_EQ(json["progress"], nullptr);
  EXPECT_EQ(json["expires_at"], 1'700'003'600);
  EXPECT_EQ(json["result"]["text"], "ab");
  EXPECT_EQ(json["result"]["finish_reason"], "stop");
  EXPECT_EQ(json["result"]["finish_details"]["loop_start_token"], 7);
  EXPECT_EQ(json["result"]["usage"]["prompt_tokens"], 300);
  EXPECT_EQ(json["result"]["times_s"]["total"], 1.5);
}

TEST(PredictTask, ReasoningIsNoPartOfTheText) {
  PredictTask task(TestContext());
  task.Collect(ReasoningToken('r', "r"));
  EXPECT_EQ(JsonOf(task)["text"], "");
  EXPECT_EQ(JsonOf(task)["progress"]["tokens"], 1);
  task.Collect(Token("a"));
  task.Collect(ChoiceEvent{0, FinishReason::kStop, "", {}});
  task.Collect(FinishedEvent{});
  EXPECT_EQ(JsonOf(task)["result"]["text"], "a");
  EXPECT_EQ(JsonOf(task)["result"]["reasoning_content"], "r");
}

TEST(PredictTask, FailuresAndCancelsAreToldApart) {
  PredictTask failed(TestContext());
  failed.Fail(Error{ErrorCode::kCorruptData, "the picture ends early", "pictures[0]"});
  EXPECT_TRUE(failed.finished());
  EXPECT_EQ(JsonOf(failed)["status"], "failed");
  EXPECT_EQ(JsonOf(failed)["error"]["param"], "pictures[0]");
  EXPECT_EQ(JsonOf(failed)["error"]["code"], "invalid_image");

  PredictTask cancelled(TestContext());
  cancelled.Collect(Token("a"));
  FinishedEvent finished;
  finished.reason = FinishReason::kCancelled;
  cancelled.Collect(finished);
  EXPECT_EQ(JsonOf(cancelled)["status"], "cancelled");
  EXPECT_EQ(JsonOf(cancelled)["result"], nullptr);
}

}  // namespace
}  // namespace ocelli::api
