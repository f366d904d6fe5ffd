#include "model/text_decoder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "gtest/gtest.h"
#include "model/allocation_counter.h"
#include "model/test_decoder_twin.h"
#include "model/test_weights.h"
#include "model/weight_loader.h"

namespace ocelli {
namespace {

constexpr DecoderPlan kPlan{
    .max_rows = 128, .max_logit_rows = 128, .max_segments = 4, .max_context_tokens = 256};

std::vector<int32_t> SomeTokens(size_t count) {
  std::vector<int32_t> tokens(count);
  for (size_t i = 0; i < count; ++i) tokens[i] = static_cast<int32_t>((7 * i + 3) % 70);
  return tokens;
}

VisionFeatures SomeFeatures(const VisionConfig& config, size_t num_tokens) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  VisionFeatures features(config, num_tokens);
  const auto fill = [&](Mat<float>& mat) {
    std::generate_n(mat.data(), mat.rows() * mat.cols(), [&] { return normal(random); });
  };
  fill(features.embeds);
  for (Mat<float>& mat : features.deepstack) fill(mat);
  return features;
}

// A decoder with its weights and KV blocks for a few sequences.
class Bench {
 public:
  explicit Bench(WeightSource& source, int num_threads = 2)
      : config_(source.config()),
        pool_(num_threads),
        weights_(LoadWeights(source, WeightFormat::kBf16, pool_).value()),
        decoder_(config_.text_config, weights_.language_model, kPlan, pool_),
        kv_(KvLayout(config_.text_config), 32) {}

  TextDecoder& decoder() { return decoder_; }
  std::byte* NewBlock() { return kv_.Data(num_blocks_++); }

 private:
  ModelConfig config_;
  ThreadPool pool_;
  ModelWeights weights_;
  TextDecoder decoder_;
  KvArena kv_;
  KvBlockId num_blocks_ = 0;  // in use
};

// A prompt, perhaps with a picture, and what a call needs of it.
struct Prompt {
  explicit Prompt(size_t num_tokens, std::vector<TwinPicture> pictures_in_prompt = {})
      : tokens(SomeTokens(num_tokens)), pictures(std::move(pictures_in_prompt)) {}

  std::vector<int32_t> tokens;
  std::vector<TwinPicture> pictures;
  std::vector<std::byte*> blocks;
  Mat<int32_t> positions;
  std::vector<PictureRows> rows;

  DecoderSegment Segment(Bench& bench, size_t first, size_t count, size_t num_logits) {
    std::vector<PictureSpan> spans;
    for (const TwinPicture& picture : pictures) spans.push_back(picture.span);
    while (blocks.size() < KvLayout::BlocksFor(first + count)) blocks.push_back(bench.NewBlock());
    positions = Mat<int32_t>(3, count);
    RopeIndex(tokens.size(), spans).CopyTo(first, positions.view());
    rows.clear();
    for (const TwinPicture& picture : pictures) {
      const size_t begin = std::max(first, picture.span.first_token);
      const size_t end =
          std::min(first + count, picture.span.first_token + picture.span.num_tokens());
      if (begin < end) {
        rows.push_back(
            {begin - first, end - begin, begin - picture.span.first_token, picture.features});
      }
    }
    return {std::span<const int32_t>(tokens).subspan(first, count),
            rows,
            positions.view(),
            first,
            blocks,
            num_logits};
  }
};

double MaxError(MatView<const float> actual, const std::vector<std::vector<double>>& expected) {
  EXPECT_EQ(actual.rows(), expected.size());
  double largest = 0;
  for (size_t r = 0; r < actual.rows(); ++r) {
    for (size_t c = 0; c < actual.cols(); ++c) {
      const double error = std::abs(double{actual(r, c)} - expected[r][c]);
      if (!(error <= largest)) largest = error;
    }
  }
  return largest;
}

bool SameRow(MatView<const float> a, size_t row_a, MatView<const float> b, size_t row_b) {
  return std::memcmp(a.Row(row_a), b.Row(row_b), a.cols() * sizeof(float)) == 0;
}

Mat<float> CopyOf(MatView<const float> view) {
  Mat<float> copy(view.rows(), view.cols());
  std::copy_n(view.data(), view.rows() * view.cols(), copy.data());
  return copy;
}

// Logits are of the order of one and go through three layers: 2e-5 is some tens of float32
// roundings, and a hundred times less than what rounding weights to bf16 would do.
constexpr double kTolerance = 2e-5;

TEST(TextDecoder, EqualsTheDoublePrecisionTwin) {
  TestWeights weights(SmallConfig(), true);
  Bench bench(weights);
  Prompt prompt(50);
  const DecoderSegment segment = prompt.Segment(bench, 0, 50, 50);
  EXPECT_LT(
      MaxError(bench.decoder().Forward({&segment, 1}), TwinLogits(weights, prompt.tokens, {})),
      kTolerance);
}

TEST(TextDecoder, Float32WeightsCountWithTheirFullValue) {
  TestWeights weights(SmallConfig(), false);
  Bench bench(weights);
  Prompt prompt(40);
  const DecoderSegment segment = prompt.Segment(bench, 0, 40, 40);
  const MatView<const float> logits = bench.decoder().Forward({&segment, 1});
  EXPECT_LT(MaxError(logits, TwinLogits(weights, prompt.tokens, {})), kTolerance);
  // The same weights cut to bf16 give something else, so the bits below matter here.
  TestWeights rounded(SmallConfig(), true);
  EXPECT_GT(MaxError(logits, TwinLogits(rounded, prompt.tokens, {})), 50 * kTolerance);
}

TEST(TextDecoder, UntiedHeadIsUsed) {
  ModelConfig config = SmallConfig();
  config.tie_word_embeddings = false;
  TestWeights weights(config, true);
  Bench bench(weights);
  Prompt prompt(5);
  const DecoderSegment segment = prompt.Segment(bench, 0, 5, 5);
  EXPECT_LT(
      MaxError(bench.decoder().Forward({&segment, 1}), TwinLogits(weights, prompt.tokens, {})),
      kTolerance);
}

TEST(TextDecoder, PicturesReplaceEmbeddingsAndDeepstackIsAdded) {
  TestWeights weights(SmallConfig(), true);
  Bench bench(weights);
  const VisionFeatures wide = SomeFeatures(weights.config().vision_config, 6);
  const VisionFeatures tall = SomeFeatures(weights.config().vision_config, 4);
  Prompt prompt(30, {{{4, 2, 3}, &wide}, {{20, 4, 1}, &tall}});
  const DecoderSegment segment = prompt.Segment(bench, 0, 30, 30);
  EXPECT_LT(MaxError(bench.decoder().Forward({&segment, 1}),
                     TwinLogits(weights, prompt.tokens, prompt.pictures)),
            kTolerance);
}

// With as many deepstack features as layers, the last addition comes after the rows without logits
// are gone.
TEST(TextDecoder, DeepstackOfTheLastLayerReachesTheRowsThatAreLeft) {
  ModelConfig config = SmallConfig();
  config.text_config.num_hidden_layers = 2;
  TestWeights weights(config, true);
  Bench bench(weights);
  const VisionFeatures features = SomeFeatures(config.vision_config, 6);
  Prompt text(9);
  Prompt picture(10, {{{4, 2, 3}, &features}});
  const DecoderSegment segments[] = {text.Segment(bench, 0, 9, 0),
                                     picture.Segment(bench, 0, 10, 1)};
  const MatView<const float> logits = bench.decoder().Forward(segments);
  ASSERT_EQ(logits.rows(), 1u);
  const auto expected = TwinLogits(weights, picture.tokens, picture.pictures);
  EXPECT_LT(MaxError(logits, {expected.back()}), kTolerance);
}

TEST(TextDecoder, LogitsOfTheLastRowsAreThoseOfAll) {
  TestWeights weights(SmallConfig(), true);
  Bench bench(weights);
  Prompt a(33);
  Prompt b(17);
  Prompt c(8);
  const auto all = [&](Prompt& prompt) {
    const DecoderSegment segment =
        prompt.Segment(bench, 0, prompt.tokens.size(), prompt.tokens.size());
    return CopyOf(bench.decoder().Forward({&segment, 1}));
  };
  const Mat<float> all_a = all(a);
  const Mat<float> all_c = all(c);
  const DecoderSegment segments[] = {a.Segment(bench, 0, 33, 1), b.Segment(bench, 0, 17, 0),
                                     c.Segment(bench, 0, 8, 8)};
  const MatView<const float> logits = bench.decoder().Forward(segments);
  ASSERT_EQ(logits.rows(), 9u);
  EXPECT_TRUE(SameRow(logits, 0, all_a.view(), 32));
  for (size_t r = 0; r < 8; ++r) EXPECT_TRUE(SameRow(logits, 1 + r, all_c.view(), r));
}

TEST(TextDecoder, CallWithoutLogitsStoresKeysAndValues) {
  TestWeights weights(SmallConfig(), true);
  Bench bench(weights);
  Prompt prompt(70);
  const DecoderSegment head = prompt.Segment(bench, 0, 69, 0);
  EXPECT_EQ(bench.decoder().Forward({&head, 1}).rows(), 0u);
  const DecoderSegment tail = prompt.Segment(bench, 69, 1, 1);
  const MatView<const float> logits = bench.decoder().Forward({&tail, 1});
  EXPECT_LT(MaxError(logits, {TwinLogits(weights, prompt.tokens, {}).back()}), kTolerance);
}

TEST(TextDecoder, SharedPrefixBlocksServeTwoSequences) {
  TestWeights weights(SmallConfig(), true);
  Bench bench(weights);
  Prompt first(40);
  const DecoderSegment whole = first.Segment(bench, 0, 40, 40);
  const Mat<float> logits = CopyOf(bench.decoder().Forward({&whole, 1}));
  Prompt second(40);
  second.blocks.push_back(first.blocks[0]);  // tokens 0..31
  const DecoderSegment rest = second.Segment(bench, 32, 8, 8);
  const MatView<const float> again = bench.decoder().Forward({&rest, 1});
  for (size_t r = 0; r < 8; ++r) EXPECT_TRUE(SameRow(again, r, logits.view(), 32 + r));
}

TEST(TextDecoder, ObserverSeesEveryLayer) {
  TestWeights weights(SmallConfig(), true);
  Bench bench(weights);
  Prompt prompt(6);
  const DecoderSegment segment = prompt.Segment(bench, 0, 6, 1);
  std::vector<std::pair<size_t, size_t>> seen;
  const auto see = [&](size_t index, MatView<const float> hidden) {
    seen.emplace_back(index, hidden.rows());
  };
  const HiddenObserver observer = see;
  bench.decoder().Forward({&segment, 1}, &observer);
  const std::vector<std::pair<size_t, size_t>> expected = {{0, 6}, {1, 6}, {2, 6}, {3, 1}};
  EXPECT_EQ(seen, expected);
}

TEST(TextDecoder, AllocatesNothing) {
  TestWeights weights(SmallConfig(), true);
  Bench bench(weights);
  const VisionFeatures features = SomeFeatures(weights.config().vision_config, 6);
  Prompt a(100);
  Prompt b(20, {{{4, 2, 3}, &features}});
  const DecoderSegment prefill[] = {a.Segment(bench, 0, 100, 1), b.Segment(bench, 0, 20, 20)};
  const uint64_t before = NumAllocations();
  bench.decoder().Forward(prefill);
  EXPECT_EQ(NumAllocations(), before);
}

TEST(TextDecoder, PlannedBytesCountEveryBuffer) {
  const TextConfig config = SmallConfig().text_config;
  DecoderPlan larger = kPlan;
  larger.max_logit_rows += 10;
  EXPECT_EQ(TextDecoder::PlannedBytes(config, larger, 1),
            TextDecoder::PlannedBytes(config, kPlan, 1) + 10 * config.vocab_size * sizeof(float));
}

TEST(TextDecoderDeathTest, CallsOutsideThePlanAreOurBug) {
  TestWeights weights(SmallConfig(), true);
  Bench bench(weights);
  Prompt prompt(129);
  const DecoderSegment segment = prompt.Segment(bench, 0, 129, 1);
  EXPECT_DEATH(bench.decoder().Forward({&segment, 1}), "129 of 128 rows");
}

}  // namespace
}  // namespace ocelli
