#include "engine/engine_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "engine/fake_model_runner.h"
#include "engine/test_engine.h"

namespace ocelli {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr TokenId kEos = FakeModelRunner::kEos;

// Writes a, b, c, ... whatever was asked, one letter after the other.
void Alphabet(TokenId token_id, size_t, std::span<float> logits) {
  const bool letter = token_id >= 'a' && token_id < 'z';
  logits[static_cast<size_t>(letter ? token_id + 1 : 'a')] = 50.0f;
}

std::string LongPrompt(size_t count, char salt = 'x') {
  std::string text(count, salt);
  for (size_t i = 0; i < count; ++i) {
    if (i % 3 != 0) text[i] = static_cast<char>('A' + i * 7 % 50);
  }
  std::replace(text.begin(), text.end(), '#', '+');
  return text;
}

// Requests of all kinds, with and without pictures.
std::vector<GenerateRequest> ManyKinds() {
  std::vector<GenerateRequest> requests;
  requests.push_back(MakeRequest("hello", 30));
  requests.push_back(MakeRequest("look # and tell", 25, {FakePatches(11, 3, 4)}));
  requests.push_back(MakeRequest(LongPrompt(150), 40));
  requests.push_back(
      MakeRequest("two #,# of them", 20, {FakePatches(12, 2, 2), FakePatches(11, 3, 4)}));
  requests.push_back(MakeRequest("look # and say", 25, {FakePatches(13, 3, 4)}));
  requests.push_back(MakeRequest(LongPrompt(150) + "?", 10));
  requests.push_back(MakeRequest("#", 35, {FakePatches(14, 7, 9)}));
  requests.push_back(MakeRequest("z", 50));
  requests[2].params.repetition_penalty = 1.3f;
  requests[5].params.temperature = 0.8f;
  requests[5].params.seed = 7;
  return requests;
}

// The answers to `requests`, each alone in a fresh engine with room for everything.
std::vector<std::vector<TokenId>> ColdAnswers(const std::vector<GenerateRequest>& requests) {
  std::vector<std::vector<TokenId>> answers;
  for (const GenerateRequest& request : requests) {
    TestEngine engine;
    answers.push_back(engine.Answer(request).ids());
  }
  return answers;
}

TEST(EngineCore, AnswersAndTellsEveryStage) {
  TestEngine engine(SmallOptions(), Alphabet);
  const RequestId id = engine.Add(MakeRequest("see # NOW", 5, {FakePatches(1, 2, 3)}));
  engine.Advance(milliseconds(500));
  const Outcome& outcome = engine.Finish(id);
  EXPECT_EQ(outcome.text(), "abcde");
  EXPECT_EQ(outcome.reason(), FinishReason::kLength);
  EXPECT_EQ(outcome.finished->usage.prompt_tokens, 14u);
  EXPECT_EQ(outcome.finished->usage.image_tokens, 6u);
  EXPECT_EQ(outcome.finished->usage.completion_tokens, 5u);
  EXPECT_EQ(outcome.finished->usage.pictures_encoded, 1u);
  EXPECT_EQ(outcome.finished->times.queued, 0.5);
  EXPECT_EQ(outcome.Of<QueuedEvent>().at(0).position, 0u);
  const auto encoding = outcome.Of<EncodingEvent>();
  ASSERT_EQ(encoding.size(), FakeModelRunner::kEncoderSteps);
  EXPECT_EQ(encoding[2].layer, 3u);
  EXPECT_EQ(encoding[2].num_layers, FakeModelRunner::kEncoderSteps);
  const auto prefill = outcome.Of<PrefillEvent>();
  ASSERT_EQ(prefill.size(), 2u);
  EXPECT_EQ(prefill[0].done_tokens, 4u);
  EXPECT_EQ(prefill[1].done_tokens, 14u);
  EXPECT_EQ(prefill[1].total_tokens, 14u);
}

TEST(EngineCore, EndOfTextEndsTheAnswerAndIsNoText) {
  const auto shape = [](TokenId id, size_t token, std::span<float> logits) {
    Alphabet(id, token, logits);
    if (id == 'c') logits[kEos] = 99.0f;
  };
  TestEngine engine(SmallOptions(), shape);
  const Outcome& outcome = engine.Answer(MakeRequest("X"));
  EXPECT_EQ(outcome.text(), "abc");
  EXPECT_THAT(outcome.ids(), ElementsAre('a', 'b', 'c', kEos));
  EXPECT_EQ(outcome.reason(), FinishReason::kStop);
  EXPECT_EQ(outcome.finished->usage.completion_tokens, 4u);
  GenerateRequest ignoring = MakeRequest("X", 7);
  ignoring.params.ignore_eos = true;
  EXPECT_EQ(engine.Answer(ignoring).ids().size(), 7u);
}

TEST(EngineCore, StopStringsAcrossTokensAreNeverPartOfTheText) {
  TestEngine engine(SmallOptions(), Alphabet);
  GenerateRequest request = MakeRequest("X", 26);
  request.params.stop = {"zz", "fgh"};
  const Outcome& outcome = engine.Answer(request);
  EXPECT_EQ(outcome.text(), "abcde");
  EXPECT_EQ(outcome.reason(), FinishReason::kStop);
  EXPECT_EQ(outcome.ids().size(), 8u);
  request.params.stop = {"xyzzy"};
  EXPECT_EQ(engine.Answer(request).text(), "abcdefghijklmnopqrstuvwxyz") << "held text is given";
}

TEST(EngineCore, ReasoningIsToldApartAndCountedForEveryChoice) {
  constexpr TokenId kThinkEnd = 281;
  const auto shape = [](TokenId id, size_t token, std::span<float> logits) {
    Alphabet(id, token, logits);
    if (id == 'c') logits[kThinkEnd] = 99.0f;
    if (id == kThinkEnd) logits['\n'] = 99.0f;
    if (id == '\n') logits['d'] = 99.0f;
  };
  TestEngine engine(SmallOptions(), shape);
  GenerateRequest request = MakeRequest("X", 8);
  request.reasoning_end_token_id = kThinkEnd;
  request.params.n = 2;
  const Outcome& outcome = engine.Answer(request);
  for (size_t choice : {0u, 1u}) {
    EXPECT_EQ(outcome.choices.at(choice).reasoning, "abc");
    EXPECT_EQ(outcome.text(choice), "def");
  }
  EXPECT_EQ(outcome.finished->usage.completion_tokens, 16u);
  EXPECT_EQ(outcome.finished->usage.reasoning_tokens, 10u);
  request.reasoning_end_token_id.reset();
  EXPECT_EQ(engine.Answer(request).text(), "abc</think>\ndef");
  EXPECT_EQ(engine.Answer(request).finished->usage.reasoning_tokens, 0u);
}

TEST(EngineCore, SameAnswersAloneAndTogether) {
  const auto requests = ManyKinds();
  const auto cold = ColdAnswers(requests);
  TestEngine engine;
  std::vector<RequestId> ids;
  for (const GenerateRequest& request : requests) ids.push_back(engine.Add(request));
  engine.FinishAll();
  for (size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(engine.outcome(ids[i]).ids(), cold[i]) << i;
}

TEST(EngineCore, SameAnswersWhateverTheOptions) {
  const auto requests = ManyKinds();
  const auto cold = ColdAnswers(requests);
  uint64_t num_preemptions = 0;
  for (const size_t chunk : {1u, 7u, 32u, 500u}) {
    for (const bool prefix_cache : {false, true}) {
      for (const size_t drafts : {0u, 3u}) {
        EngineOptions options = SmallOptions(8, 70);  // hardly enough: preempts and evicts
        options.prefill_chunk_tokens = chunk;
        options.shared_prefill_chunk_tokens = 1 + chunk / 2;
        options.prefix_cache = prefix_cache;
        options.max_draft_tokens = drafts;
        TestEngine engine(options);
        std::vector<RequestId> ids;
        for (int round = 0; round < 2; ++round) {
          for (const GenerateRequest& request : requests) ids.push_back(engine.Add(request));
          for (int i = 0; i < 20; ++i) engine.Step();
        }
        engine.FinishAll();
        for (size_t i = 0; i < ids.size(); ++i) {
          ASSERT_EQ(engine.outcome(ids[i]).ids(), cold[i % cold.size()]) << i << " chunk " << chunk;
        }
        num_preemptions += engine.core().Stats().preemptions;
      }
    }
  }
  EXPECT_GT(num_preemptions, 10u);
}

TEST(EngineCore, SecondTurnComputesOnlyWhatIsNew) {
  TestEngine engine;
  GenerateRequest first = MakeRequest("a picture # and a question", 10, {FakePatches(5, 6, 8)});
  const Outcome& answer = engine.Answer(first);
  GenerateRequest second = first;
  for (const TokenId id : answer.ids()) second.prompt_token_ids.push_back(id);
  for (const char c : std::string("more")) second.prompt_token_ids.push_back(c);
  const size_t rows_before = engine.model().num_rows();
  const size_t steps_before = engine.model().num_encoder_steps();
  const Outcome& more = engine.Answer(second);
  EXPECT_EQ(engine.model().num_encoder_steps(), steps_before) << "the picture is not encoded again";
  const size_t known = first.prompt_token_ids.size() + answer.ids().size() - 1;
  EXPECT_EQ(more.finished->usage.cached_tokens, known);
  EXPECT_EQ(engine.model().num_rows() - rows_before,
            second.prompt_token_ids.size() - known + more.ids().size() - 1);
  TestEngine fresh;
  EXPECT_EQ(fresh.Answer(second).ids(), more.ids());
}

TEST(EngineCore, APictureBehindOtherTextIsReadAgainButNotEncodedAgain) {
  TestEngine engine;
  engine.Answer(MakeRequest("first #", 3, {FakePatches(5, 4, 4)}));
  const size_t steps = engine.model().num_encoder_steps();
  const Outcome& outcome =
      engine.Answer(MakeRequest("other words # here", 3, {FakePatches(5, 4, 4)}));
  EXPECT_EQ(engine.model().num_encoder_steps(), steps);
  EXPECT_EQ(outcome.finished->usage.pictures_encoded, 0u);
  EXPECT_EQ(engine.core().Stats().vision_cache_hits, 1u);
}

TEST(EngineCore, TwoRequestsWithTheSameNewPictureEncodeItOnce) {
  TestEngine engine;
  const RequestId a = engine.Add(MakeRequest("what is # ?", 5, {FakePatches(5, 4, 4)}));
  const RequestId b = engine.Add(MakeRequest("where is # ?", 5, {FakePatches(5, 4, 4)}));
  engine.FinishAll();
  EXPECT_EQ(engine.model().num_encodes(), 1u);
  EXPECT_EQ(engine.outcome(a).finished->usage.pictures_encoded, 1u);
  EXPECT_EQ(engine.outcome(b).finished->usage.pictures_encoded, 0u);
  EXPECT_EQ(engine.outcome(b).Of<EncodingEvent>().size(), FakeModelRunner::kEncoderSteps)
      << "both see the progress";
}

TEST(EngineCore, OneRequestWithTheSamePictureTwiceEncodesItOnce) {
  TestEngine engine;
  engine.Answer(MakeRequest("#,#", 5, {FakePatches(5, 4, 4), FakePatches(5, 4, 4)}));
  EXPECT_EQ(engine.model().num_encodes(), 1u);
}

TEST(EngineCore, AThousandPicturesOfOneSizeNeverAnswerForEachOther) {
  std::vector<std::vector<TokenId>> cold;
  const auto request = [](uint64_t key, const std::string& start = "") {
    return MakeRequest(start + "same prompt # same question", 4, {FakePatches(key, 3, 3)});
  };
  for (uint64_t key = 0; key < 1000; ++key) {
    TestEngine engine(SmallOptions(4, 10));
    cold.push_back(engine.Answer(request(key)).ids());
  }
  TestEngine engine(SmallOptions(24, 60));
  for (uint64_t i = 0; i < 3000; i += 6) {
    std::vector<std::pair<RequestId, uint64_t>> together;
    for (uint64_t j = 0; j < 6; ++j) {
      const uint64_t key = j % 2 == 0 ? (i + j) % 1000 : (i * 7 + j) % 13;
      together.emplace_back(engine.Add(request(key)), key);
    }
    engine.FinishAll();
    for (const auto& [id, key] : together) ASSERT_EQ(engine.outcome(id).ids(), cold[key]) << key;
    engine.Answer(request((i * 7 + 1) % 13, "now "));
  }
  EXPECT_GT(engine.core().Stats().cached_tokens, 0u);
  EXPECT_GT(engine.core().Stats().vision_cache_hits, 0u);
}

TEST(EngineCore, SeveralAnswersShareThePromptAndTheEncode) {
  EngineOptions options = SmallOptions();
  options.prefill_chunk_tokens = 16;
  TestEngine engine(options);
  GenerateRequest request = MakeRequest(LongPrompt(70) + "#" + "tell", 6, {FakePatches(5, 3, 4)});
  request.params.n = 4;
  request.params.temperature = 1.0f;
  request.params.seed = 3;
  const Outcome& outcome = engine.Answer(request);
  ASSERT_EQ(outcome.choices.size(), 4u);
  EXPECT_EQ(engine.model().num_encodes(), 1u);
  const size_t prompt = request.prompt_token_ids.size();
  EXPECT_EQ(engine.model().num_rows(), prompt + 3 + 4 * 5) << "one prompt, a last row each";
  EXPECT_NE(outcome.ids(0), outcome.ids(1));
  EXPECT_EQ(outcome.finished->usage.completion_tokens, 24u);
  request.params.n = 1;
  TestEngine alone;
  EXPECT_EQ(alone.Answer(request).ids(), outcome.ids(0)) << "the first is what n = 1 gives";
}

TEST(EngineCore, GreedyAnswersOfOneRequestAreEqual) {
  TestEngine engine;
  GenerateRequest request = MakeRequest("same", 9);
  request.params.n = 2;
  const Outcome& outcome = engine.Answer(request);
  EXPECT_EQ(outcome.ids(0), outcome.ids(1));
}

TEST(EngineCore, ASeedRepeatsAnAnswerAndAnotherSeedChangesIt) {
  GenerateRequest request = MakeRequest("dice", 20);
  request.params.temperature = 1.0f;
  request.params.seed = 5;
  TestEngine engine;
  const auto first = engine.Answer(request).ids();
  EXPECT_EQ(engine.Answer(request).ids(), first);
  request.params.seed = 6;
  EXPECT_NE(engine.Answer(request).ids(), first);
  request.params.seed.reset();
  EXPECT_NE(engine.Answer(request).ids(), engine.Answer(request).ids());
}

TEST(EngineCore, LogprobsAreThoseOfTheModel) {
  TestEngine engine;
  GenerateRequest request = MakeRequest("p", 3);
  request.params.logprobs = true;
  request.params.top_logprobs = 4;
  const Outcome& outcome = engine.Answer(request);
  for (const TokenEvent& token : outcome.choices.at(0).tokens) {
    ASSERT_TRUE(token.logprob.has_value());
    EXPECT_LT(token.logprob->logprob, 0.0f);
    ASSERT_EQ(token.top_logprobs.size(), 4u);
    EXPECT_EQ(token.top_logprobs[0].token_id, token.token_id) << "greedy takes the likeliest";
    EXPECT_EQ(token.top_logprobs[0].logprob, token.logprob->logprob);
  }
}

TEST(EngineCore, GuessesSavePassesAndChangeNothing) {
  // A period of five letters: prompt lookup learns it after one round.
  const auto periodic = [](TokenId id, size_t, std::span<float> logits) {
    logits[static_cast<size_t>(id >= 'a' && id < 'e' ? id + 1 : 'a')] = 50.0f;
  };
  TestEngine plain(SmallOptions(), periodic);
  const auto expected = plain.Answer(MakeRequest("go", 60)).ids();
  EngineOptions options = SmallOptions();
  options.max_draft_tokens = 4;
  TestEngine guessing(options, periodic);
  EXPECT_EQ(guessing.Answer(MakeRequest("go", 60)).ids(), expected);
  EXPECT_LT(guessing.model().passes().size(), plain.model().passes().size() / 3);
  const EngineStats stats = guessing.core().Stats();
  EXPECT_GT(stats.accepted_tokens, 40u);
  EXPECT_LE(stats.accepted_tokens, stats.draft_tokens);
}

TEST(EngineCore, GuessesChangeNothingAtAnyTemperature) {
  const auto habit = [](TokenId id, size_t, std::span<float> logits) {
    logits[static_cast<size_t>(id >= 'a' && id < 'e' ? id + 1 : 'a')] += 7.0f;
  };
  GenerateRequest request = MakeRequest("go", 100);
  request.params.temperature = 1.0f;
  request.params.seed = 1;
  request.params.presence_penalty = 0.1f;
  TestEngine plain(SmallOptions(), habit);
  const auto expected = plain.Answer(request).ids();
  EngineOptions options = SmallOptions();
  options.max_draft_tokens = 5;
  TestEngine guessing(options, habit);
  EXPECT_EQ(guessing.Answer(request).ids(), expected);
  EXPECT_GT(guessing.core().Stats().accepted_tokens, 0u);
}

TEST(EngineCore, TheLoopGuardStopsEndlessRepetitionAndSaysWhere) {
  const auto loop = [](TokenId, size_t, std::span<float> logits) { logits['0'] = 50.0f; };
  TestEngine engine(SmallOptions(), loop);
  GenerateRequest request = MakeRequest("read", 1500);
  request.params.loop_guard = true;
  const Outcome& outcome = engine.Answer(request);
  EXPECT_EQ(outcome.reason(), FinishReason::kLoop);
  EXPECT_EQ(outcome.ids().size(), LoopGuard::kMinLoopTokens);
  EXPECT_EQ(outcome.text().size(), LoopGuard::kMinLoopTokens) << "what was written is kept";
  EXPECT_EQ(outcome.choices.at(0).end->loop_start_token, 1u);
  request.params.loop_guard = false;
  EXPECT_EQ(engine.Answer(request).reason(), FinishReason::kLength);
}

TEST(EngineCore, ANonFiniteLogitFailsItsRequestOnly) {
  const auto shape = [](TokenId id, size_t token, std::span<float> logits) {
    Alphabet(id, token, logits);
    if (id == '!') logits[17] = std::numeric_limits<float>::quiet_NaN();
  };
  TestEngine engine(SmallOptions(), shape);
  GenerateRequest bad = MakeRequest("boom!", 5);
  bad.params.n = 2;
  const RequestId good = engine.Add(MakeRequest("X", 5));
  const RequestId failed = engine.Add(bad);
  const RequestId also_good = engine.Add(MakeRequest("Y", 5));
  engine.FinishAll();
  const Outcome& outcome = engine.outcome(failed);
  EXPECT_EQ(outcome.finished->reason, FinishReason::kError);
  ASSERT_TRUE(outcome.finished->error.has_value());
  EXPECT_EQ(outcome.finished->error->code, ErrorCode::kInternal);
  EXPECT_THAT(outcome.Of<TokenEvent>(), IsEmpty()) << "never a row of token 0";
  EXPECT_EQ(engine.outcome(good).text(), "abcde");
  EXPECT_EQ(engine.outcome(also_good).text(), "abcde");
  const Outcome& again = engine.Answer(bad);
  EXPECT_EQ(again.finished->usage.cached_tokens, 0u) << "what went wrong is not kept";
}

TEST(EngineCore, AFailureIsLoggedUnderItsNameOrLeftToWhoAsked) {
  TestEngine engine(SmallOptions(), [](TokenId, size_t, std::span<float> logits) {
    logits[17] = std::numeric_limits<float>::quiet_NaN();
  });
  GenerateRequest request = MakeRequest("boom", 5);
  request.name = "req_1";
  ::testing::internal::CaptureStderr();
  engine.Answer(request);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("(req_1)"), std::string::npos);
  request.name.clear();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(engine.Answer(request).finished->reason, FinishReason::kError);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "its caller says it, once";
}

TEST(EngineCore, CancelEndsARequestInEveryPhase) {
  GenerateRequest request =
      MakeRequest(LongPrompt(40) + "#" + LongPrompt(40), 30, {FakePatches(5, 4, 4)});
  request.params.n = 2;
  size_t steps_needed = 0;
  {
    TestEngine engine;
    const RequestId id = engine.Add(request);
    for (; !engine.HasFinished(id); ++steps_needed) engine.Step();
  }
  for (size_t steps = 0; steps < steps_needed; ++steps) {
    EngineOptions options = SmallOptions();
    options.prefill_chunk_tokens = 16;
    TestEngine engine(options);
    const RequestId id = engine.Add(request);
    for (size_t i = 0; i < steps; ++i) engine.Step();
    engine.core().Cancel(id);
    ASSERT_TRUE(engine.HasFinished(id)) << "after " << steps;
    EXPECT_EQ(engine.outcome(id).finished->reason, FinishReason::kCancelled);
    EXPECT_TRUE(engine.core().idle());
    EXPECT_EQ(engine.core().Stats().kv_blocks_in_use, 0u);
    engine.core().blocks().CheckInvariants();
    engine.core().Step();
    const Outcome& next = engine.Answer(MakeRequest("next", 5));
    EXPECT_EQ(next.ids().size(), 5u);
    EXPECT_FALSE(engine.model().is_encoding()) << "the encode was dropped, after " << steps;
  }
}

TEST(EngineCore, ACancelledEncodeGoesOnForAnotherRequest) {
  TestEngine engine;
  const RequestId a = engine.Add(MakeRequest("one #", 5, {FakePatches(5, 4, 4)}));
  const RequestId b = engine.Add(MakeRequest("two #", 5, {FakePatches(5, 4, 4)}));
  for (int i = 0; i < 4; ++i) engine.Step();
  engine.core().Cancel(a);
  const Outcome& outcome = engine.Finish(b);
  EXPECT_EQ(engine.model().num_encodes(), 1u);
  EXPECT_EQ(engine.model().num_encoder_steps(), FakeModelRunner::kEncoderSteps);
  EXPECT_EQ(outcome.reason(), FinishReason::kLength);
}

TEST(EngineCore, StreamsWriteATokenBetweenAnyTwoEncoderSteps) {
  TestEngine engine(SmallOptions(), Alphabet);
  const RequestId stream = engine.Add(MakeRequest("X", 25));
  engine.Step();
  engine.Add(MakeRequest("#", 5, {FakePatches(5, 4, 4)}));
  for (size_t i = 0; i < FakeModelRunner::kEncoderSteps; ++i) {
    const size_t tokens = engine.outcome(stream).ids().size();
    const size_t steps = engine.model().num_encoder_steps();
    engine.Step();
    EXPECT_EQ(engine.model().num_encoder_steps(), steps + 1);
    EXPECT_EQ(engine.outcome(stream).ids().size(), tokens + 1);
  }
}

TEST(EngineCore, DeadlinesEndQueuedRunningAndEncodingRequests) {
  EngineOptions options = SmallOptions();
  options.max_sequences = 1;
  TestEngine engine(options);
  const auto with_deadline = [&engine](GenerateRequest request, int milliseconds_left) {
    request.deadline = engine.now() + milliseconds(milliseconds_left);
    return request;
  };
  const RequestId writing = engine.Add(with_deadline(MakeRequest("x", 500), 100));
  const RequestId queued = engine.Add(with_deadline(MakeRequest("y", 5), 50));
  for (int i = 0; i < 3; ++i) engine.Step();
  engine.Advance(milliseconds(60));
  engine.Step();
  EXPECT_TRUE(engine.HasFinished(queued));
  EXPECT_EQ(engine.outcome(queued).reason(), FinishReason::kDeadline);
  EXPECT_FALSE(engine.HasFinished(writing));
  engine.Advance(milliseconds(60));
  engine.Step();
  EXPECT_EQ(engine.outcome(writing).reason(), FinishReason::kDeadline);
  EXPECT_GT(engine.outcome(writing).text().size(), 0u) << "what was written is kept";
  const RequestId encoding =
      engine.Add(with_deadline(MakeRequest("#", 5, {FakePatches(5, 4, 4)}), 10));
  for (int i = 0; i < 2; ++i) engine.Step();
  engine.Advance(milliseconds(20));
  engine.Step();
  EXPECT_EQ(engine.outcome(encoding).reason(), FinishReason::kDeadline);
  EXPECT_TRUE(engine.core().idle());
}

TEST(EngineCore, QueuePositionsAreToldAndMoveUp) {
  EngineOptions options = SmallOptions();
  options.max_sequences = 1;
  TestEngine engine(options);
  engine.Add(MakeRequest("a", 5));
  engine.Step();
  const RequestId second = engine.Add(MakeRequest("b", 5));
  const RequestId third = engine.Add(MakeRequest("c", 5));
  EXPECT_EQ(engine.core().num_queued(), 2u);
  engine.core().Cancel(second);
  engine.FinishAll();
  const auto positions = engine.outcome(third).Of<QueuedEvent>();
  ASSERT_EQ(positions.size(), 2u);
  EXPECT_EQ(positions[0].position, 1u);
  EXPECT_EQ(positions[1].position, 0u);
}

TEST(EngineCore, PromptsOverTheLimitsAreRefusedWithTheLimit) {
  TestEngine engine(SmallOptions(4, 10));
  const auto refuse = [&engine](GenerateRequest request) {
    auto checked = engine.core().Check(std::move(request));
    EXPECT_FALSE(checked.ok());
    return checked.ok() ? Error{} : checked.error();
  };
  EXPECT_TRUE(engine.core().Check(MakeRequest(std::string(128, 'x'))).ok());
  const Error memory = refuse(MakeRequest(std::string(129, 'x')));
  EXPECT_EQ(memory.code, ErrorCode::kTooLarge);
  EXPECT_THAT(memory.message, HasSubstr("129 tokens and there is room for 128 (KV memory)"));
  const Error picture = refuse(MakeRequest("#", 1, {FakePatches(1, 1, 11)}));
  EXPECT_EQ(picture.code, ErrorCode::kTooLarge);
  EXPECT_THAT(picture.message, HasSubstr("vision cache"));
  EXPECT_THAT(refuse(MakeRequest(std::string(5000, 'x'))).message, HasSubstr("5000"));
  GenerateRequest bad = MakeRequest("X");
  bad.params.n = 0;
  EXPECT_EQ(refuse(bad).param, "n");
  TestEngine large(SmallOptions(500));
  auto context = large.core().Check(MakeRequest(std::string(2048, 'x')));
  ASSERT_FALSE(context.ok());
  EXPECT_THAT(context.error().message, HasSubstr("room for 2047 (context)"));
}

TEST(EngineCore, AnAnswerIsClippedToWhatTheContextAndMemoryLeave) {
  TestEngine engine(SmallOptions(2));
  const Outcome& outcome = engine.Answer(MakeRequest(std::string(60, 'x'), 1'000'000'000));
  EXPECT_EQ(outcome.ids().size(), 5u) << "two blocks hold 64 tokens, and the last needs none";
  EXPECT_EQ(outcome.reason(), FinishReason::kLength);
}

TEST(EngineCore, PreemptionIsSilent) {
  EngineOptions options = SmallOptions(7);
  TestEngine engine(options, Alphabet);
  const RequestId a = engine.Add(MakeRequest(LongPrompt(60, 'p'), 100));
  const RequestId b = engine.Add(MakeRequest(LongPrompt(60, 'q'), 100));
  engine.FinishAll();
  EXPECT_GT(engine.core().Stats().preemptions, 0u);
  for (const RequestId id : {a, b}) {
    EXPECT_EQ(engine.outcome(id).ids().size(), 100u);
    const auto prefill = engine.outcome(id).Of<PrefillEvent>();
    EXPECT_EQ(prefill.back().done_tokens, 60u);
  }
}

}  // namespace
}  // namespace ocelli
