#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/file.h"
#include "checkpoint/checkpoint.h"
#include "engine/engine.h"
#include "engine/event_queue.h"
#include "engine/qwen_runner.h"
#include "golden_case.h"
#include "picture/decode.h"
#include "picture/patches.h"
#include "text/tokenizer.h"

// The whole path from picture files and token ids to answers, on the engine, against the reference:
// the same answers whatever else runs and however the work is cut.

namespace ocelli {
namespace {

constexpr size_t kNumAnswerTokens = 24;

// One checkpoint, its cases as requests and what the reference answers to them.
struct GoldenModel {
  explicit GoldenModel(const std::string& family) : cases(LoadGoldenCases(family)) {
    auto opened = Checkpoint::Open(GoldenDirectory() / ("checkpoint_" + family));
    OCELLI_CHECK(opened.ok(), "{}", opened.error().message);
    checkpoint = std::make_unique<Checkpoint>(std::move(opened).value());
    auto loaded = Tokenizer::FromFile(checkpoint->tokenizer_path());
    OCELLI_CHECK(loaded.ok(), "{}", loaded.error().message);
    tokenizer = std::make_shared<const Tokenizer>(std::move(loaded).value());
    for (const GoldenCase& golden : cases) {
      requests.push_back(MakeRequest(golden));
      const auto& greedy = golden["greedy"].integers;
      answers.emplace_back(greedy.begin(), greedy.end());
    }
  }

  GenerateRequest MakeRequest(const GoldenCase& golden) {
    GenerateRequest request;
    request.prompt_token_ids = golden.input_ids();
    request.params.max_new_tokens = kNumAnswerTokens;
    request.params.ignore_eos = true;
    for (size_t i = 0; i < golden.num_pictures(); ++i) {
      auto bytes = ReadFile(golden.picture_path(i), size_t{1} << 24);
      OCELLI_CHECK(bytes.ok(), "{}", bytes.error().message);
      auto image = DecodePicture(std::as_bytes(std::span(*bytes)), DecodeLimits());
      OCELLI_CHECK(image.ok(), "{}", image.error().message);
      ThreadPool pool(1);
      auto patches =
          PreparePicture(*image, ProcessorOptionsOf(checkpoint->preprocessor_config()), {}, pool);
      OCELLI_CHECK(patches.ok(), "{}", patches.error().message);
      request.pictures.push_back(std::make_shared<const Patches>(std::move(patches).value()));
    }
    return request;
  }

  std::vector<GoldenCase> cases;
  std::unique_ptr<Checkpoint> checkpoint;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::vector<GenerateRequest> requests;
  std::vector<std::vector<TokenId>> answers;
};

EngineOptions RoomyOptions() {
  EngineOptions options;
  options.max_context_tokens = 512;
  options.max_image_tokens = 128;
  options.kv_memory_bytes = uint64_t{64} << 20;
  options.vision_cache_bytes = uint64_t{16} << 20;
  options.max_draft_tokens = 0;
  options.weight_format = WeightFormat::kPacked12;  // as the product holds them
  return options;
}

// An engine on the real model.
class GoldenEngine {
 public:
  GoldenEngine(GoldenModel& model, const EngineOptions& options, int num_threads = 1)
      : model_(model), pool_(num_threads) {
    auto weights = LoadWeights(*model.checkpoint, options.weight_format, pool_);
    OCELLI_CHECK(weights.ok(), "{}", weights.error().message);
    auto runner =
        QwenRunner::Make(model.checkpoint->config(), std::move(weights).value(),
                         model.checkpoint->generation_config().eos_token_ids, options, pool_);
    auto engine = Engine::Create(options, std::move(runner), model.tokenizer);
    OCELLI_CHECK(engine.ok(), "{}", engine.error().message);
    engine_ = std::move(engine).value();
  }

  std::shared_ptr<EventQueue> Submit(const GenerateRequest& request) {
    auto events = EventQueue::Make();
    const auto id = engine_->Submit(request, events->Sink());
    OCELLI_CHECK(id.ok(), "{}", id.error().message);
    return events;
  }

  struct Result {
    std::vector<TokenId> ids;
    FinishedEvent finished;
  };
  static Result Collect(EventQueue& events) {
    Result result;
    while (true) {
      const Event event = events.Pop();
      if (const auto* token = std::get_if<TokenEvent>(&event))
        result.ids.push_back(token->token_id);
      if (const auto* finished = std::get_if<FinishedEvent>(&event)) {
        result.finished = *finished;
        return result;
      }
    }
  }
  Result Answer(const GenerateRequest& request) { return Collect(*Submit(request)); }

  // Answers every case alone, one after the other.
  void ExpectAnswersOneByOne() {
    for (size_t i = 0; i < model_.requests.size(); ++i) {
      EXPECT_EQ(Answer(model_.requests[i]).ids, model_.answers[i]) << model_.cases[i].name;
    }
  }
  // Answers all cases at once.
  void ExpectAnswersTogether() {
    std::vector<std::shared_ptr<EventQueue>> running;
    for (const GenerateRequest& request : model_.requests) running.push_back(Submit(request));
    for (size_t i = 0; i < running.size(); ++i) {
      EXPECT_EQ(Collect(*running[i]).ids, model_.answers[i]) << model_.cases[i].name;
    }
  }
  EngineStats Stats() {
    engine_->Drain();
    return engine_->Stats();
  }

 private:
  GoldenModel& model_;
  ThreadPool pool_;
  std::unique_ptr<Engine> engine_;
};

class EngineGolden : public ::testing::TestWithParam<std::string> {
 protected:
  GoldenModel& model() {
    static std::map<std::string, GoldenModel> models;
    return models.try_emplace(GetParam(), GetParam()).first->second;
  }
};

TEST_P(EngineGolden, AnswersAsTheReferenceColdAndCached) {
  GoldenEngine engine(model(), RoomyOptions());
  engine.ExpectAnswersOneByOne();
  engine.ExpectAnswersOneByOne();
  const EngineStats stats = engine.Stats();
  EXPECT_GT(stats.cached_tokens, stats.prompt_tokens / 3);
}

TEST_P(EngineGolden, AnswersAsTheReferenceBesideSevenOthers) {
  GoldenEngine engine(model(), RoomyOptions());
  engine.ExpectAnswersTogether();
  engine.ExpectAnswersTogether();
}

TEST_P(EngineGolden, AnswersAsTheReferenceWithTwoThreads) {
  GoldenEngine engine(model(), RoomyOptions(), 2);
  engine.ExpectAnswersTogether();
}

TEST_P(EngineGolden, AnswersAsTheReferenceInChunksOfAnySize) {
  for (const size_t chunk : {1u, 7u, 32u}) {
    EngineOptions options = RoomyOptions();
    options.prefill_chunk_tokens = chunk;
    options.shared_prefill_chunk_tokens = chunk;
    options.step_seconds = 0;
    options.shared_step_seconds = 0;
    GoldenEngine engine(model(), options);
    engine.ExpectAnswersTogether();
  }
}

TEST_P(EngineGolden, AnswersAsTheReferenceAfterPreemption) {
  constexpr size_t kLongAnswer = 100;  // crosses several blocks
  std::vector<GenerateRequest> requests = model().requests;
  std::vector<std::vector<TokenId>> expected;
  size_t longest = 0;
  GoldenEngine roomy(model(), RoomyOptions());
  for (GenerateRequest& request : requests) {
    request.params.max_new_tokens = kLongAnswer;
    longest = std::max(longest, request.prompt_token_ids.size() + kLongAnswer);
    expected.push_back(roomy.Answer(request).ids);
  }
  const KvLayout layout(model().checkpoint->config().text_config);
  EngineOptions options = RoomyOptions();
  options.kv_memory_bytes = (KvLayout::BlocksFor(longest) + 2) * layout.BlockBytes();
  GoldenEngine engine(model(), options);
  std::vector<std::shared_ptr<EventQueue>> running;
  for (const GenerateRequest& request : requests) running.push_back(engine.Submit(request));
  for (size_t i = 0; i < running.size(); ++i) {
    const auto ids = GoldenEngine::Collect(*running[i]).ids;
    EXPECT_EQ(ids, expected[i]) << model().cases[i].name;
    EXPECT_TRUE(std::equal(model().answers[i].begin(), model().answers[i].end(), ids.begin()));
  }
  EXPECT_GT(engine.Stats().preemptions, 0u);
}

TEST_P(EngineGolden, AnswersAsTheReferenceWithoutPrefixCache) {
  EngineOptions options = RoomyOptions();
  options.prefix_cache = false;
  GoldenEngine engine(model(), options);
  engine.ExpectAnswersTogether();
}

TEST_P(EngineGolden, AnswersAsTheReferenceWithGuesses) {
  EngineOptions options = RoomyOptions();
  options.max_draft_tokens = 4;
  GoldenEngine engine(model(), options);
  engine.ExpectAnswersTogether();
  // A prompt that holds its own answer: what comes is guessed right.
  GenerateRequest request = model().requests[0];
  for (const TokenId id : model().answers[0]) request.prompt_token_ids.push_back(id);
  GoldenEngine plain(model(), RoomyOptions());
  EXPECT_EQ(engine.Answer(request).ids, plain.Answer(request).ids);
}

TEST_P(EngineGolden, Bf16KvAnswersTheSameWhateverTheSchedule) {
  EngineOptions options = RoomyOptions();
  options.kv_type = KvType::kBf16;
  options.prefix_cache = false;
  GoldenEngine plain(model(), options);
  options.prefix_cache = true;
  options.max_draft_tokens = 4;
  options.shared_prefill_chunk_tokens = 7;
  options.kv_memory_bytes = uint64_t{1} << 20;
  GoldenEngine busy(model(), options, 2);
  std::vector<std::shared_ptr<EventQueue>> running;
  for (const GenerateRequest& request : model().requests) running.push_back(busy.Submit(request));
  for (size_t i = 0; i < running.size(); ++i) {
    const auto alone = plain.Answer(model().requests[i]).ids;
    EXPECT_EQ(GoldenEngine::Collect(*running[i]).ids, alone) << model().cases[i].name;
    EXPECT_EQ(busy.Answer(model().requests[i]).ids, alone) << model().cases[i].name << ", cached";
  }
}

TEST_P(EngineGolden, ASecondTurnReadsOnlyWhatIsNew) {
  for (size_t i = 0; i < model().requests.size(); ++i) {
    if (model().requests[i].pictures.empty()) continue;
    GoldenEngine engine(model(), RoomyOptions());
    engine.Answer(model().requests[i]);
    GenerateRequest second = model().requests[i];
    for (const TokenId id : model().answers[i]) second.prompt_token_ids.push_back(id);
    for (const TokenId id : {10, 20, 30}) second.prompt_token_ids.push_back(id);
    const auto warm = engine.Answer(second);
    EXPECT_EQ(warm.finished.usage.cached_tokens, second.prompt_token_ids.size() - 4);
    EXPECT_EQ(warm.finished.usage.pictures_encoded, 0u);
    GoldenEngine cold(model(), RoomyOptions());
    EXPECT_EQ(warm.ids, cold.Answer(second).ids) << model().cases[i].name;
  }
}

// A picture of `width` x `height` whose byte at (x, y, channel) is `value(x, y, channel)`.
template <typename Value>
std::shared_ptr<const Patches> PaintedPicture(int width, int height,
                                              const ProcessorOptions& processor, Value value) {
  RgbImage image{width, height, {}};
  image.pixels.resize(image.row_bytes() * static_cast<size_t>(height));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < 3 * width; ++x) image.Row(y)[x] = value(x / 3, y, x % 3);
  }
  ThreadPool pool(1);
  auto patches = PreparePicture(image, processor, {}, pool);
  OCELLI_CHECK(patches.ok(), "{}", patches.error().message);
  return std::make_shared<const Patches>(std::move(patches).value());
}

TEST_P(EngineGolden, ExtremePicturesGiveFiniteLogits) {
  GoldenEngine engine(model(), RoomyOptions());
  const ProcessorOptions processor = ProcessorOptionsOf(model().checkpoint->preprocessor_config());
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    const int width = 32 + static_cast<int>(random() % 200);
    const int height = 32 + static_cast<int>(random() % 200);
    const int side = 1 << (i / 3 % 6);
    GenerateRequest request;
    request.pictures = {PaintedPicture(width, height, processor, [&](int x, int y, int channel) {
      if (i % 3 == 0) return static_cast<uint8_t>((x / side + y / side) % 2 * 255);  // checkerboard
      if (i % 3 == 1) return static_cast<uint8_t>(channel == i % 9 / 3 ? 255 : 0);   // saturated
      return static_cast<uint8_t>(random() % 2 * 255);                               // noise
    })};
    request.prompt_token_ids.assign(request.pictures[0]->image_tokens,
                                    model().checkpoint->config().image_token_id);
    request.prompt_token_ids.push_back('?');
    request.params.max_new_tokens = 2;
    // A logit that is not finite would end the request with an error.
    const auto result = engine.Answer(request);
    EXPECT_FALSE(result.finished.error.has_value()) << width << 'x' << height;
  }
}

TEST_P(EngineGolden, AFiveTurnChatReadsEachPictureOnceAndSaysTheSameWithoutCaches) {
  const ProcessorOptions processor = ProcessorOptionsOf(model().checkpoint->preprocessor_config());
  const auto checkerboard = [&](int side) {
    return PaintedPicture(96, 64, processor, [side](int x, int y, int) {
      return static_cast<uint8_t>((x / side + y / side) % 2 * 255);
    });
  };
  EngineOptions uncached = RoomyOptions();
  uncached.prefix_cache = false;
  GoldenEngine engine(model(), RoomyOptions());
  GenerateRequest request;
  request.params.max_new_tokens = 12;
  request.params.ignore_eos = true;
  size_t known = 0;  // prompt tokens that the turn before has left in the cache
  for (size_t turn = 0; turn < 5; ++turn) {
    if (turn == 0 || turn == 2) {
      request.pictures.push_back(checkerboard(turn == 0 ? 4 : 7));
      request.prompt_token_ids.insert(request.prompt_token_ids.end(),
                                      request.pictures.back()->image_tokens,
                                      model().checkpoint->config().image_token_id);
    }
    for (const char letter : {'t', 'u', 'r', 'n'}) request.prompt_token_ids.push_back(letter);
    const auto warm = engine.Answer(request);
    EXPECT_EQ(warm.finished.usage.cached_tokens, known) << turn;
    EXPECT_EQ(warm.finished.usage.pictures_encoded, turn == 0 || turn == 2 ? 1u : 0u) << turn;
    GoldenEngine cold(model(), uncached);
    EXPECT_EQ(warm.ids, cold.Answer(request).ids) << turn;
    // The last token of an answer was never computed.
    known = request.prompt_token_ids.size() + warm.ids.size() - 1;
    request.prompt_token_ids.insert(request.prompt_token_ids.end(), warm.ids.begin(),
                                    warm.ids.end());
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// Returns the anonymous memory of this process, in RAM or swapped out. **Units**: KiB.
size_t AnonymousKib() {
  std::ifstream status("/proc/self/status");
  size_t total = 0;
  for (std::string word; status >> word;) {
    if (word != "RssAnon:" && word != "VmSwap:") continue;
    size_t kib = 0;
    status >> kib;
    total += kib;
  }
  return total;
}

// A picture like no other, of one of many sizes.
std::shared_ptr<const Patches> NoisePicture(uint32_t seed, const ProcessorOptions& processor) {
  std::mt19937 random(seed);
  RgbImage image;
  image.width_px = 64 + static_cast<int>(random() % 200);
  image.height_px = 64 + static_cast<int>(random() % 200);
  image.pixels.resize(image.row_bytes() * static_cast<size_t>(image.height_px));
  for (uint8_t& value : image.pixels) value = static_cast<uint8_t>(random());
  ThreadPool pool(1);
  auto patches = PreparePicture(image, processor, {}, pool);
  OCELLI_CHECK(patches.ok(), "{}", patches.error().message);
  return std::make_shared<const Patches>(std::move(patches).value());
}

TEST_P(EngineGolden, FiveHundredPicturesTakeNoMoreMemoryThanTheFirstTwoHundred) {
  EngineOptions options = RoomyOptions();
  options.kv_memory_bytes = uint64_t{3} << 20;
  options.vision_cache_bytes = uint64_t{1} << 20;
  GoldenEngine engine(model(), options);
  const ProcessorOptions processor = ProcessorOptionsOf(model().checkpoint->preprocessor_config());
  size_t warm = 0;
  for (uint32_t i = 0; i < 500; ++i) {
    GenerateRequest request;
    request.pictures = {NoisePicture(i, processor)};
    request.prompt_token_ids.assign(request.pictures[0]->image_tokens,
                                    model().checkpoint->config().image_token_id);
    request.prompt_token_ids.push_back('?');
    request.params.max_new_tokens = 2;
    engine.Answer(request);
    if (i == 199) warm = AnonymousKib();
  }
  // The allocator wanders by two MiB; three hundred pictures kept would be a hundred.
  EXPECT_LT(AnonymousKib(), warm + 4096);
  const EngineStats stats = engine.Stats();
  EXPECT_EQ(stats.pictures_encoded, 500u);
  EXPECT_LE(stats.vision_cache_used_bytes, options.vision_cache_bytes);
}

#endif

INSTANTIATE_TEST_SUITE_P(Checkpoints, EngineGolden, ::testing::Values("tied", "untied"),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace ocelli
