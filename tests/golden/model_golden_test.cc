// The model against the reference implementation: both golden checkpoints, every case, every
// instruction set of this machine. Our error is compared with that of the reference's own float32
// run: no larger in the root mean square, at most twice in the largest number, which is luck. The
// ratios are printed.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <tuple>

#include "golden_case.h"
#include "golden_sequence.h"
#include "gtest/gtest.h"
#include "kernels/test_targets.h"

namespace ocelli {
namespace {

using testing::OnEveryTarget;

constexpr float kAllowedRatio = 2.0f;
constexpr double kAllowedRmsRatio = 1.0;
constexpr double kAllowedBf16KvError =
    0.02;  // of the largest logit; measured: see docs/numerics.md
constexpr size_t kNumAnswers = 24;
constexpr size_t kFewAnswers = 4;

float MaxAbsDifference(MatView<const float> a, MatView<const float> b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  float largest = 0;
  for (size_t r = 0; r < a.rows(); ++r) {
    for (size_t c = 0; c < a.cols(); ++c) {
      const float difference = std::abs(a(r, c) - b(r, c));
      if (!(difference <= largest)) largest = difference;  // NaN goes through
    }
  }
  return largest;
}

double RmsDifference(MatView<const float> a, MatView<const float> b) {
  double sum = 0;
  for (size_t r = 0; r < a.rows(); ++r) {
    for (size_t c = 0; c < a.cols(); ++c) {
      const double difference = double{a(r, c)} - double{b(r, c)};
      sum += difference * difference;
    }
  }
  return std::sqrt(sum / static_cast<double>(a.rows() * a.cols()));
}

bool SameBits(MatView<const float> a, MatView<const float> b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (size_t r = 0; r < a.rows(); ++r) {
    if (std::memcmp(a.Row(r), b.Row(r), a.cols() * sizeof(float)) != 0) return false;
  }
  return true;
}

// Returns our error over the reference's, which is known for the logits and scaled by magnitude for
// the other tensors.
float ErrorRatio(const GoldenCase& golden, const std::string& tensor, MatView<const float> actual) {
  const GoldenTensor& expected = golden[tensor];
  const float reference = golden.reference_error * (expected.MaxAbs() / golden.logits_max_abs);
  return MaxAbsDifference(expected.FloatMat(), actual) / reference;
}

// A golden checkpoint, and how its weights are held.
using ModelGoldenParam = std::tuple<std::string, WeightFormat>;

class ModelGolden : public ::testing::TestWithParam<ModelGoldenParam> {
 protected:
  ModelGolden() : cases_(LoadGoldenCases(std::get<0>(GetParam()))), model_(Load(pool_)) {}

  static std::unique_ptr<Model> Load(ThreadPool& pool, KvType kv_type = KvType::kFloat32) {
    const auto& [name, weight_format] = GetParam();
    return LoadGoldenModel(GoldenDirectory() / ("checkpoint_" + name), weight_format, pool,
                           kv_type);
  }

  ThreadPool pool_{2};
  std::vector<GoldenCase> cases_;
  std::unique_ptr<Model> model_;
};

TEST_P(ModelGolden, HasEveryCase) { EXPECT_EQ(cases_.size(), 8u); }

TEST_P(ModelGolden, PositionIdsAreEqual) {
  for (const GoldenCase& golden : cases_) {
    SCOPED_TRACE(golden.name);
    const std::vector<VisionFeatures> no_features(golden.num_pictures());
    PoisonedBlocks blocks(*model_, 0);
    const GoldenSequence sequence(*model_, golden.input_ids(), no_features, golden, blocks);
    const GoldenTensor& expected = golden["position_ids"];
    Mat<int32_t> actual(3, sequence.num_tokens());
    sequence.rope_index().CopyTo(0, actual.view());
    const std::vector<int64_t> flat(actual.data(), actual.data() + 3 * actual.cols());
    EXPECT_EQ(flat, expected.integers);
  }
}

TEST_P(ModelGolden, VisionFeaturesAreAsExactAsTheReference) {
  OnEveryTarget([&](Target target) {
    for (const GoldenCase& golden : cases_) {
      if (golden.num_pictures() == 0) continue;
      SCOPED_TRACE(golden.name);
      const std::vector<VisionFeatures> features = EncodePictures(*model_, golden);
      const auto ratio = [&](const std::string& tensor, auto part) {
        Mat<float> all(golden[tensor].shape[0], golden[tensor].shape[1]);
        float* out = all.data();
        for (const VisionFeatures& one : features) {
          const MatView<const float> view = part(one);
          out = std::copy_n(view.data(), view.rows() * view.cols(), out);
        }
        const float value = ErrorRatio(golden, tensor, all.view());
        EXPECT_LE(value, kAllowedRatio) << tensor;
        return value;
      };
      std::printf("%-7s %-30s vision_embeds %.2f deepstack",
                  std::string(TargetName(target)).c_str(), golden.name.c_str(),
                  double{ratio("vision_embeds", [](const auto& f) { return f.embeds.view(); })});
      for (size_t i = 0; i < 3; ++i) {
        std::printf(" %.2f", double{ratio("deepstack_" + std::to_string(i),
                                          [i](const auto& f) { return f.deepstack[i].view(); })});
      }
      std::printf("\n");
    }
  });
}

TEST_P(ModelGolden, LogitsAndHiddenStatesAreAsExactAsTheReference) {
  OnEveryTarget([&](Target target) {
    for (const GoldenCase& golden : cases_) {
      SCOPED_TRACE(golden.name);
      const std::vector<VisionFeatures> features = EncodePictures(*model_, golden);
      const GoldenRun run = RunGolden(*model_, golden, features, 0, 0);
      const float logits_ratio = ErrorRatio(golden, "logits", run.logits.view());
      const double rms_ratio = RmsDifference(golden["logits"].FloatMat(), run.logits.view()) /
                               golden.reference_rms_error;
      EXPECT_LE(logits_ratio, kAllowedRatio);
      EXPECT_LE(rms_ratio, kAllowedRmsRatio);
      std::printf("%-7s %-30s logits %.2f, rms %.2f", std::string(TargetName(target)).c_str(),
                  golden.name.c_str(), double{logits_ratio}, rms_ratio);
      for (size_t i = 0; golden.Has("hidden_" + std::to_string(i)); ++i) {
        const std::string tensor = "hidden_" + std::to_string(i);
        const float ratio = ErrorRatio(golden, tensor, run.hidden.at(i).view());
        EXPECT_LE(ratio, kAllowedRatio) << tensor;
        std::printf("%s %.2f", i == 0 ? " hidden" : "", double{ratio});
      }
      std::printf("\n");
    }
  });
}

TEST_P(ModelGolden, GreedyTokensAreEqual) {
  OnEveryTarget([&](Target) {
    for (const GoldenCase& golden : cases_) {
      SCOPED_TRACE(golden.name);
      const std::vector<VisionFeatures> features = EncodePictures(*model_, golden);
      const GoldenRun run = RunGolden(*model_, golden, features, 0, kNumAnswers);
      const std::vector<int64_t> answers(run.answers.begin(), run.answers.end());
      EXPECT_EQ(answers, golden["greedy"].integers);
    }
  });
}

TEST_P(ModelGolden, Bf16KvStaysNearTheReferenceAndKeepsItsBits) {
  ThreadPool one_thread(1);
  const std::unique_ptr<Model> model = Load(one_thread, KvType::kBf16);
  OnEveryTarget([&](Target target) {
    for (const GoldenCase& golden : cases_) {
      SCOPED_TRACE(golden.name);
      const std::vector<VisionFeatures> features = EncodePictures(*model, golden);
      const GoldenRun whole = RunGolden(*model, golden, features, 0, kFewAnswers);
      const MatView<const float> expected = golden["logits"].FloatMat();
      const double largest = double{golden.logits_max_abs};
      const double error = double{MaxAbsDifference(expected, whole.logits.view())} / largest;
      const double rms = RmsDifference(expected, whole.logits.view()) / largest;
      EXPECT_LE(error, kAllowedBf16KvError);
      EXPECT_GT(error, 1e-5);  // it is another number format
      std::printf("%-7s %-30s bf16 KV: logits %.5f, rms %.5f of the largest\n",
                  std::string(TargetName(target)).c_str(), golden.name.c_str(), error, rms);
      for (const size_t chunk : {1, 7, 32}) {
        const GoldenRun run = RunGolden(*model, golden, features, chunk, kFewAnswers);
        EXPECT_TRUE(SameBits(run.logits.view(), whole.logits.view())) << chunk;
        EXPECT_TRUE(SameBits(run.answer_logits.view(), whole.answer_logits.view())) << chunk;
      }
    }
  });
}

TEST_P(ModelGolden, ThreadsAndChunksDoNotChangeABit) {
  ThreadPool one_thread(1);
  const std::unique_ptr<Model> single = Load(one_thread);
  OnEveryTarget([&](Target) {
    for (const GoldenCase& golden : cases_) {
      const std::vector<VisionFeatures> features = EncodePictures(*single, golden);
      const GoldenRun whole = RunGolden(*single, golden, features, 0, kFewAnswers);
      for (Model* model : {single.get(), model_.get()}) {
        const std::vector<VisionFeatures> again = EncodePictures(*model, golden);
        for (size_t i = 0; i < features.size(); ++i) {
          EXPECT_TRUE(SameBits(again[i].embeds.view(), features[i].embeds.view()));
        }
        for (const size_t chunk : {0, 1, 7, 32}) {
          SCOPED_TRACE(golden.name + ", chunks of " + std::to_string(chunk));
          const GoldenRun run = RunGolden(*model, golden, again, chunk, kFewAnswers);
          EXPECT_TRUE(SameBits(run.logits.view(), whole.logits.view()));
          EXPECT_TRUE(SameBits(run.answer_logits.view(), whole.answer_logits.view()));
        }
      }
    }
  });
}

// All cases run side by side, their prompts cut in chunks of different sizes; a sequence that has
// read its prompt answers while the others still read.
TEST_P(ModelGolden, BatchCompositionDoesNotChangeABit) {
  OnEveryTarget([&](Target) {
    PoisonedBlocks blocks(*model_, 512 * cases_.size());
    std::vector<std::vector<VisionFeatures>> features;
    std::vector<GoldenRun> alone;
    std::vector<GoldenSequence> sequences;
    features.reserve(cases_.size());
    for (const GoldenCase& golden : cases_) {
      features.push_back(EncodePictures(*model_, golden));
      alone.push_back(RunGolden(*model_, golden, features.back(), 0, kNumAnswers));
      sequences.emplace_back(*model_, golden.input_ids(), features.back(), golden, blocks);
    }
    std::vector<size_t> num_answers(cases_.size());
    for (size_t round = 0; round < 64; ++round) {
      std::vector<DecoderSegment> segments;
      std::vector<size_t> owners;
      for (size_t s = 0; s < sequences.size(); ++s) {
        const size_t left = sequences[s].num_tokens() - sequences[s].num_done();
        if (left == 0) continue;
        const size_t count = std::min(left, 3 + 5 * s);
        segments.push_back(sequences[s].Next(count, count == left ? 1 : 0));
        if (count == left) owners.push_back(s);
      }
      if (segments.empty()) break;
      const MatView<const float> logits = model_->text_decoder().Forward(segments);
      ASSERT_EQ(logits.rows(), owners.size());
      for (size_t row = 0; row < owners.size(); ++row) {
        const size_t s = owners[row];
        SCOPED_TRACE(cases_[s].name);
        const GoldenRun& expected = alone[s];
        const size_t step = num_answers[s]++;
        EXPECT_TRUE(SameBits(logits.Rows(row, 1),
                             step == 0 ? expected.logits.view().Rows(expected.logits.rows() - 1, 1)
                                       : expected.answer_logits.view().Rows(step - 1, 1)));
        if (step < kNumAnswers) sequences[s].Append(Argmax(logits, row));
      }
    }
    for (const size_t count : num_answers) EXPECT_EQ(count, kNumAnswers + 1);
  });
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, ModelGolden,
                         ::testing::Combine(::testing::Values("tied", "untied"),
                                            ::testing::Values(WeightFormat::kBf16,
                                                              WeightFormat::kPacked12)),
                         [](const auto& family) {
                           const WeightFormat format = std::get<1>(family.param);
                           return std::get<0>(family.param) + "_" +
                                  std::string(WeightFormatName(format));
                         });

TEST(EmbeddedModel, LoadsAndAnswers) {
  ThreadPool pool(2);
  const std::unique_ptr<Model> model =
      LoadGoldenModel(std::filesystem::path(OCELLI_SOURCE_DIR) / "models" / "embedded",
                      WeightFormat::kPacked12, pool);
  const GoldenCase golden = LoadGoldenCases("tied").front();
  const std::vector<VisionFeatures> features = EncodePictures(*model, golden);
  const GoldenRun run = RunGolden(*model, golden, features, 0, 8);
  EXPECT_EQ(run.answers.size(), 8u);
  for (size_t c = 0; c < run.logits.cols(); ++c) {
    EXPECT_TRUE(std::isfinite(run.logits.view()(run.logits.rows() - 1, c)));
  }
}

}  // namespace
}  // namespace ocelli
