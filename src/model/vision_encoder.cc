#include "model/vision_encoder.h"

#include <algorithm>

#include "base/check.h"
#include "base/rounding.h"
#include "kernels/elementwise.h"
#include "kernels/norm.h"

namespace ocelli {
namespace {

constexpr float kLayerNormEps = 1e-6f;

// Rows that go through an MLP together: enough to use a weight often once it is read, few enough
// for the intermediate rows to stay small.
constexpr size_t kChunkRows = 1024;

size_t MergeUnit(const VisionConfig& config) {
  return config.spatial_merge_size * config.spatial_merge_size;
}

size_t ChunkRows(const VisionConfig& config, size_t max_patches) {
  return RoundUp(std::min(kChunkRows, max_patches), MergeUnit(config));
}

size_t InnerSize(const VisionConfig& config) {
  return std::max(config.intermediate_size, config.hidden_size);
}

size_t MaxInputs(const VisionConfig& config) {
  return std::max({config.intermediate_size, config.merged_size(),
                   config.patch_floats() / config.temporal_patch_size});
}

AttentionShape ShapeOf(const VisionConfig& config) {
  return {config.num_heads, config.num_heads, config.head_dim()};
}

// The longest side of a grid of `max_patches` whose other side is one token.
size_t MaxSide(const VisionConfig& config, size_t max_patches) {
  return max_patches / config.spatial_merge_size;
}

// Calls body(begin, count) for nearly equal parts of [0, count) of at most `max_part`.
template <typename Body>
void ForChunks(size_t count, size_t max_part, Body body) {
  const size_t parts = DivideUp(count, max_part);
  const size_t part = DivideUp(count, parts);
  for (size_t begin = 0; begin < count; begin += part) body(begin, std::min(part, count - begin));
}

}  // namespace

VisionEncoder::VisionEncoder(const VisionConfig& config, const VisionWeights& weights,
                             size_t max_patches, ThreadPool& pool)
    : config_(config),
      weights_(weights),
      pool_(pool),
      max_patches_(max_patches),
      chunk_rows_(ChunkRows(config, max_patches)),
      attention_(ShapeOf(config)),
      rotary_(config, MaxSide(config, max_patches)),
      hidden_(max_patches, config.hidden_size),
      qkv_(max_patches, 3 * config.hidden_size),
      cos_(max_patches, config.head_dim() / 2),
      sin_(max_patches, config.head_dim() / 2),
      normed_(chunk_rows_, config.hidden_size),
      inner_(chunk_rows_, InnerSize(config)),
      linear_scratch_(chunk_rows_, MaxInputs(config), pool.num_threads()),
      attention_scratch_(attention_, max_patches, pool.num_threads()) {}

size_t VisionEncoder::buffer_bytes() const {
  return PlannedBytes(config_, max_patches_, pool_.num_threads());
}

size_t VisionEncoder::PlannedBytes(const VisionConfig& config, size_t max_patches,
                                   int num_threads) {
  const size_t chunk_rows = ChunkRows(config, max_patches);
  const size_t per_patch = 4 * config.hidden_size + config.head_dim();
  const size_t per_chunk_row = config.hidden_size + InnerSize(config);
  const size_t rotary = MaxSide(config, max_patches) * config.head_dim() / 2;
  return (max_patches * per_patch + chunk_rows * per_chunk_row + rotary) * sizeof(float) +
         LinearScratch::BytesFor(chunk_rows, MaxInputs(config), num_threads) +
         AttentionScratch::BytesFor(ShapeOf(config), max_patches, num_threads);
}

VisionPass VisionEncoder::Begin(MatView<const float> pixel_values, size_t grid_h, size_t grid_w) {
  const PatchGrid grid{grid_h, grid_w, config_.spatial_merge_size};
  OCELLI_CHECK(!busy_, "a pass is under way");
  OCELLI_CHECK(grid.num_patches() > 0 && grid.num_patches() <= max_patches_, "{} of {} patches",
               grid.num_patches(), max_patches_);
  OCELLI_CHECK(grid_h % grid.merge_size == 0 && grid_w % grid.merge_size == 0, "grid {}x{}", grid_h,
               grid_w);
  OCELLI_CHECK(pixel_values.rows() == grid.num_patches() &&
                   pixel_values.cols() == weights_.patch_embed.weight.num_inputs(),
               "pixel_values [{}, {}]", pixel_values.rows(), pixel_values.cols());
  return VisionPass(*this, pixel_values, grid);
}

void VisionEncoder::EmbedPatches(MatView<const float> pixel_values,
                                 const PatchGrid& grid) noexcept {
  const LinearWeights& weights = weights_.patch_embed;
  ForChunks(grid.num_patches(), chunk_rows_, [&](size_t begin, size_t count) {
    Multiply("patch embedding", pixel_values.Rows(begin, count), weights,
             hidden_.view().Rows(begin, count), LinearMode::kStore);
  });
  Timed(profile_, "positions", [&] {
    AddPositionEmbeddings(weights_.pos_embed.view(), grid, hidden_.Top(grid.num_patches()), pool_);
    rotary_.CosSin(grid, cos_.Top(grid.num_patches()), sin_.Top(grid.num_patches()));
  });
}

void VisionEncoder::Block(const VisionBlockWeights& weights, size_t num_patches) noexcept {
  Attention(weights, num_patches);
  Mlp(weights, num_patches);
}

void VisionEncoder::Attention(const VisionBlockWeights& weights, size_t num_patches) noexcept {
  const size_t size = config_.hidden_size;
  const MatView<float> q = qkv_.Top(num_patches).Cols(0, size);
  const MatView<float> k = qkv_.Top(num_patches).Cols(size, size);
  const MatView<float> v = qkv_.Top(num_patches).Cols(2 * size, size);

  ForChunks(num_patches, chunk_rows_, [&](size_t begin, size_t count) {
    Norm(hidden_.view().Rows(begin, count), weights.norm1, normed_.Top(count));
    Multiply("qkv", normed_.Top(count), weights.qkv, qkv_.view().Rows(begin, count),
             LinearMode::kStore);
  });
  const MatView<const float> cos = cos_.Top(num_patches);
  const MatView<const float> sin = sin_.Top(num_patches);
  // q and k lie side by side, so one call turns the heads of both.
  Timed(profile_, "rotary", [&] {
    NormRotateHeads(qkv_.Top(num_patches).Cols(0, 2 * size), config_.head_dim(), nullptr, 0.0f, cos,
                    sin, pool_);
  });
  const auto work = [&] {
    const auto patches = static_cast<double>(num_patches);
    return KernelWork{"attention", 4 * patches * patches * static_cast<double>(size)};
  };
  TimedWork(profile_, work,
            [&] { FullAttention(attention_, q, k, v, q, attention_scratch_, pool_); });
  ForChunks(num_patches, chunk_rows_, [&](size_t begin, size_t count) {
    Multiply("out projection", q.Rows(begin, count), weights.proj,
             hidden_.view().Rows(begin, count), LinearMode::kAdd);
  });
}

void VisionEncoder::Mlp(const VisionBlockWeights& weights, size_t num_patches) noexcept {
  ForChunks(num_patches, chunk_rows_, [&](size_t begin, size_t count) {
    const MatView<float> hidden = hidden_.view().Rows(begin, count);
    const MatView<float> inner(inner_.data(), count, config_.intermediate_size);
    Norm(hidden, weights.norm2, normed_.Top(count));
    Multiply("mlp in", normed_.Top(count), weights.linear_fc1, inner, LinearMode::kStore);
    Timed(profile_, "gelu", [&] { Gelu(inner, GeluKind::kTanh, pool_); });
    Multiply("mlp out", inner, weights.linear_fc2, hidden, LinearMode::kAdd);
  });
}

void VisionEncoder::Merge(const PatchMergerWeights& weights, bool use_postshuffle_norm,
                          MatView<float> out) noexcept {
  const size_t unit = MergeUnit(config_);
  const size_t merged_size = config_.merged_size();
  ForChunks(out.rows(), chunk_rows_ / unit, [&](size_t begin, size_t count) {
    // The patches of a token follow each other, so the shuffle is only another view of the rows.
    const MatView<float> patches = hidden_.view().Rows(begin * unit, count * unit);
    const MatView<float> tokens(patches.data(), count, merged_size);
    const MatView<float> normed_patches = normed_.Top(count * unit);
    const MatView<float> normed_tokens(normed_.data(), count, merged_size);
    const MatView<float> inner(inner_.data(), count, merged_size);
    Norm(use_postshuffle_norm ? tokens : patches, weights.norm,
         use_postshuffle_norm ? normed_tokens : normed_patches);
    Multiply("mergers", normed_tokens, weights.linear_fc1, inner, LinearMode::kStore);
    Timed(profile_, "gelu", [&] { Gelu(inner, GeluKind::kErf, pool_); });
    Multiply("mergers", inner, weights.linear_fc2, out.Rows(begin, count), LinearMode::kStore);
  });
}

void VisionEncoder::Norm(MatView<const float> x, const LayerNormWeights& weights,
                         MatView<float> out) noexcept {
  Timed(profile_, "norm", [&] {
    LayerNorm(x, weights.weight.data(), weights.bias.data(), kLayerNormEps, out, pool_);
  });
}

void VisionEncoder::Multiply(std::string_view name, MatView<const float> x,
                             const LinearWeights& weights, MatView<float> y,
                             LinearMode mode) noexcept {
  TimedWork(
      profile_, [&] { return LinearWork(name, x.rows(), weights.weight); },
      [&] { Linear(x, weights.weight, weights.bias.data(), y, mode, linear_scratch_, pool_); });
}

VisionPass::VisionPass(VisionEncoder& encoder, MatView<const float> pixel_values,
                       const PatchGrid& grid)
    : encoder_(&encoder),
      pixel_values_(pixel_values),
      grid_(grid),
      features_(encoder.config_, grid.num_tokens()) {
  encoder.busy_ = true;
}

VisionPass::VisionPass(VisionPass&& other) noexcept
    : encoder_(std::exchange(other.encoder_, nullptr)),
      pixel_values_(other.pixel_values_),
      grid_(other.grid_),
      steps_done_(other.steps_done_),
      features_(std::move(other.features_)) {}

VisionPass& VisionPass::operator=(VisionPass&& other) noexcept {
  if (this == &other) return *this;
  if (encoder_ != nullptr) encoder_->busy_ = false;
  encoder_ = std::exchange(other.encoder_, nullptr);
  pixel_values_ = other.pixel_values_;
  grid_ = other.grid_;
  steps_done_ = other.steps_done_;
  features_ = std::move(other.features_);
  return *this;
}

VisionPass::~VisionPass() {
  if (encoder_ != nullptr) encoder_->busy_ = false;
}

size_t VisionPass::num_steps() const { return VisionEncoder::NumSteps(encoder_->config_); }

bool VisionPass::Step() {
  OCELLI_CHECK(!done(), "step {} of {}", steps_done_ + 1, num_steps());
  const size_t step = steps_done_++;
  if (step == 0) {
    encoder_->EmbedPatches(pixel_values_, grid_);
  } else if (!done()) {
    BlockStep(step - 1);
  } else {
    encoder_->Merge(encoder_->weights_.merger, false, features_.embeds.view());
  }
  return !done();
}

void VisionPass::BlockStep(size_t layer) {
  encoder_->Block(encoder_->weights_.blocks[layer], grid_.num_patches());
  const std::vector<size_t>& indexes = encoder_->config_.deepstack_visual_indexes;
  const auto found = std::find(indexes.begin(), indexes.end(), layer);
  if (found == indexes.end()) return;
  const auto i = static_cast<size_t>(found - indexes.begin());
  encoder_->Merge(encoder_->weights_.deepstack_merger_list[i], true, features_.deepstack[i].view());
}

VisionFeatures VisionPass::TakeFeatures() {
  OCELLI_CHECK(done(), "{} of {} steps done", steps_done_, num_steps());
  return std::move(features_);
}

}  // namespace ocelli
