#include "cli/speed_forecast.h"

#include <algorithm>

#include "checkpoint/expected_tensors.h"

namespace ocelli::cli {
namespace {

// Shares of a peak (docs/benchmarks.md).
constexpr double kEncodeShare = 0.76;   // of multiply-adds, 336 x 336
constexpr double kPrefillShare = 0.62;  // of multiply-adds, 128 tokens
constexpr double kReadShare = 0.84;     // of memory reads

// Multiply-adds of a model's matrices, by how often a question uses them.
struct MatrixSizes {
  double per_patch = 0;
  double per_image_token = 0;
  double per_token = 0;
  double per_answer_token = 0;  // lm_head
};

MatrixSizes SizesOf(const ModelConfig& config) {
  MatrixSizes sizes;
  for (const TensorSpec& spec : ExpectedTensors(config)) {
    if (spec.shape.size() < 2 || spec.name.ends_with("pos_embed.weight")) continue;
    const auto numbers = static_cast<double>(spec.NumElements());
    switch (PartOf(spec.name)) {
      case ModelPart::kEmbedding:
        break;
      case ModelPart::kText:
        sizes.per_token += numbers;
        break;
      case ModelPart::kVision:
        if (spec.name.find("merger") != spec.name.npos) {
          sizes.per_image_token += numbers;
        } else if (spec.name.find("patch_embed") != spec.name.npos) {
          sizes.per_patch +=
              numbers / static_cast<double>(config.vision_config.temporal_patch_size);
        } else {
          sizes.per_patch += numbers;
        }
    }
  }
  sizes.per_answer_token =
      static_cast<double>(config.text_config.vocab_size * config.text_config.hidden_size);
  return sizes;
}

}  // namespace

SpeedForecast ForecastSpeed(const ModelConfig& config, uint64_t weight_bytes,
                            const QuestionSize& question, const MachinePeaks& peaks) {
  const MatrixSizes sizes = SizesOf(config);
  const VisionConfig& vision = config.vision_config;
  const TextConfig& text = config.text_config;
  const auto image_tokens = static_cast<double>(question.image_tokens);
  const double patches =
      image_tokens * static_cast<double>(vision.spatial_merge_size * vision.spatial_merge_size);
  const double tokens = image_tokens + static_cast<double>(question.text_tokens);
  // Scores and weighted values: two multiply-adds for each pair and channel.
  const double patch_pairs =
      2 * patches * patches * static_cast<double>(vision.hidden_size * vision.depth);
  const double token_pairs =
      tokens * tokens * static_cast<double>(text.q_size() * text.num_hidden_layers);
  const double encode =
      2 * (sizes.per_patch * patches + sizes.per_image_token * image_tokens + patch_pairs);
  const double prefill = 2 * (sizes.per_token * tokens + token_pairs + sizes.per_answer_token);
  const double read_seconds =
      static_cast<double>(weight_bytes) / (kReadShare * peaks.bytes_per_second);
  SpeedForecast forecast;
  forecast.encode_seconds = encode / (kEncodeShare * peaks.flops);
  forecast.prefill_seconds = std::max(prefill / (kPrefillShare * peaks.flops), read_seconds);
  forecast.token_seconds =
      std::max(read_seconds, 2 * (sizes.per_token + sizes.per_answer_token) / peaks.flops);
  return forecast;
}

}  // namespace ocelli::cli
