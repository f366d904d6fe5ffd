#include "model/text_decoder.h"

#include <algorithm>

#include "base/check.h"
#include "kernels/elementwise.h"
#include "kernels/fork.h"
#include "kernels/norm.h"

namespace ocelli {
namespace {

size_t WideSize(const TextConfig& config) {
  return std::max(config.q_size() + 2 * config.kv_size(), 2 * config.intermediate_size);
}

size_t MaxInputs(const TextConfig& config) {
  return std::max({config.hidden_size, config.q_size(), config.intermediate_size});
}

size_t MaxBlocks(const DecoderPlan& plan) {
  return plan.max_segments * KvLayout::BlocksFor(plan.max_context_tokens);
}

// Moves row `from` of `x` to row `to` before it.
void MoveRow(MatView<float> x, size_t from, size_t to) {
  if (from != to) std::copy_n(x.Row(from), x.cols(), x.Row(to));
}

}  // namespace

TextDecoder::TextDecoder(const TextConfig& config, const TextWeights& weights,
                         const DecoderPlan& plan, ThreadPool& pool)
    : config_(config),
      weights_(weights),
      plan_(plan),
      pool_(pool),
      kv_layout_(config, plan.kv_type),
      rotary_(config),
      eps_(static_cast<float>(config.rms_norm_eps)),
      hidden_(plan.max_rows, config.hidden_size),
      normed_(plan.max_rows, config.hidden_size),
      wide_(plan.max_rows, WideSize(config)),
      cos_(plan.max_rows, config.head_dim / 2),
      sin_(plan.max_rows, config.head_dim / 2),
      logits_(plan.max_logit_rows, config.vocab_size),
      linear_scratch_(plan.max_rows, MaxInputs(config), pool.num_threads()),
      attention_scratch_(kv_layout_.attention, 0, pool.num_threads()) {
  active_.reserve(plan.max_segments);
  causal_.reserve(plan.max_segments);
  layer_blocks_.reserve(MaxBlocks(plan));
}

size_t TextDecoder::buffer_bytes() const {
  return PlannedBytes(config_, plan_, pool_.num_threads());
}

size_t TextDecoder::PlannedBytes(const TextConfig& config, const DecoderPlan& plan,
                                 int num_threads) {
  const size_t per_row = 2 * config.hidden_size + WideSize(config) + config.head_dim;
  return (plan.max_rows * per_row + plan.max_logit_rows * config.vocab_size) * sizeof(float) +
         MaxBlocks(plan) * sizeof(const void*) +
         plan.max_segments * (sizeof(ActiveRows) + sizeof(CausalSegment)) +
         LinearScratch::BytesFor(plan.max_rows, MaxInputs(config), num_threads) +
         AttentionScratch::BytesFor(KvLayout(config).attention, 0, num_threads);
}

MatView<const float> TextDecoder::Forward(std::span<const DecoderSegment> segments,
                                          const HiddenObserver* observer) noexcept {
  const auto observe = [&](size_t index, MatView<const float> hidden) {
    if (observer != nullptr) (*observer)(index, hidden);
  };
  Place(segments);
  Timed(profile_, "embedding", [&] { Embed(); });
  observe(0, Hidden());
  const size_t num_layers = weights_.layers.size();
  for (size_t layer = 0; layer < num_layers; ++layer) {
    Layer(layer);
    if (layer + 1 < num_layers) observe(layer + 1, Hidden());
    AddDeepstack(layer);
  }
  const MatView<float> logits = logits_.Top(num_rows_);
  if (num_rows_ == 0) return logits;
  Norm(weights_.norm);
  observe(num_layers, Normed());
  Multiply("output head", Normed(), weights_.lm_head(), logits, LinearMode::kStore);
  return logits;
}

void TextDecoder::Place(std::span<const DecoderSegment> segments) {
  active_.clear();
  num_rows_ = 0;
  size_t num_logits = 0;
  OCELLI_CHECK(segments.size() <= plan_.max_segments, "{} of {} segments", segments.size(),
               plan_.max_segments);
  for (const DecoderSegment& segment : segments) {
    const size_t rows = segment.token_ids.size();
    const size_t context = segment.first_token + rows;
    OCELLI_CHECK(
        rows > 0 && segment.position_ids.rows() == 3 && segment.position_ids.cols() == rows,
        "{} tokens, position_ids [{}, {}]", rows, segment.position_ids.rows(),
        segment.position_ids.cols());
    OCELLI_CHECK(segment.num_logits <= rows, "{} logits of {} rows", segment.num_logits, rows);
    OCELLI_CHECK(
        context <= plan_.max_context_tokens && context <= segment.kv.size() * kKvBlockTokens,
        "{} tokens, planned {}, {} KV blocks", context, plan_.max_context_tokens,
        segment.kv.size());
    active_.push_back({&segment, 0, rows, num_rows_});
    num_rows_ += rows;
    num_logits += segment.num_logits;
  }
  OCELLI_CHECK(num_rows_ <= plan_.max_rows && num_logits <= plan_.max_logit_rows,
               "{} of {} rows, {} of {} logit rows", num_rows_, plan_.max_rows, num_logits,
               plan_.max_logit_rows);
}

void TextDecoder::Embed() noexcept {
  for (const ActiveRows& active : active_) {
    const DecoderSegment& segment = *active.segment;
    const MatView<float> hidden = hidden_.view().Rows(active.batch_row, active.count);
    size_t row = 0;
    const auto embed_text_until = [&](size_t end) {
      for (; row < end; ++row) {
        const auto token = static_cast<size_t>(segment.token_ids[row]);
        OCELLI_CHECK(token < config_.vocab_size, "token {} of {}", token, config_.vocab_size);
        weights_.embed_tokens.CopyRow(token, {hidden.Row(row), hidden.cols()});
      }
    };
    for (const PictureRows& picture : segment.pictures) {
      OCELLI_CHECK(picture.first_row >= row && picture.first_row + picture.count <= active.count &&
                       picture.first_feature + picture.count <= picture.features->num_tokens(),
                   "picture rows {}+{} of {}, features {}+{} of {}", picture.first_row,
                   picture.count, active.count, picture.first_feature, picture.count,
                   picture.features->num_tokens());
      embed_text_until(picture.first_row);
      std::copy_n(picture.features->embeds.view().Row(picture.first_feature),
                  picture.count * hidden.cols(), hidden.Row(row));
      row += picture.count;
    }
    embed_text_until(active.count);
    rotary_.CosSin(segment.position_ids, cos_.view().Rows(active.batch_row, active.count),
                   sin_.view().Rows(active.batch_row, active.count));
  }
}

void TextDecoder::Layer(size_t layer) noexcept {
  const TextLayerWeights& weights = weights_.layers[layer];
  Norm(weights.input_layernorm);
  Multiply("qkv", Normed(), weights.qkv_proj, Qkv(), LinearMode::kStore);
  const MatView<float> q = Qkv().Cols(0, config_.q_size());
  const MatView<float> k = Qkv().Cols(config_.q_size(), config_.kv_size());
  Timed(profile_, "q and k norm, rotary", [&] {
    NormRotateHeads(q, config_.head_dim, weights.q_norm.data(), eps_, cos_.Top(num_rows_),
                    sin_.Top(num_rows_), pool_);
    NormRotateHeads(k, config_.head_dim, weights.k_norm.data(), eps_, cos_.Top(num_rows_),
                    sin_.Top(num_rows_), pool_);
  });
  Timed(profile_, "KV write", [&] { StoreKeysValues(layer); });
  // Past this point of the last layer a row matters to nobody but itself.
  if (layer + 1 == weights_.layers.size()) KeepLogitRows();
  if (num_rows_ == 0) return;
  Attend(layer);
  Multiply("out projection", q.Rows(0, num_rows_), weights.o_proj, Hidden(), LinearMode::kAdd);
  Mlp(weights);
}

void TextDecoder::StoreKeysValues(size_t layer) noexcept {
  const MatView<const float> k = Qkv().Cols(config_.q_size(), config_.kv_size());
  const MatView<const float> v =
      Qkv().Cols(config_.q_size() + config_.kv_size(), config_.kv_size());
  const size_t layer_offset = layer * kv_layout_.LayerBytes();
  for (const ActiveRows& active : active_) {
    ForRowRanges(active.count, 2 * config_.kv_size(), pool_, [&](size_t begin, size_t end) {
      for (size_t r = begin; r < end; ++r) {
        const size_t token = active.first_token() + r;
        const size_t row = active.batch_row + r;
        StoreKv(kv_layout_.attention, k.Row(row), v.Row(row),
                active.segment->kv[token / kKvBlockTokens] + layer_offset, token % kKvBlockTokens);
      }
    });
  }
}

void TextDecoder::KeepLogitRows() noexcept {
  const MatView<float> q = Qkv().Cols(0, config_.q_size());
  size_t kept = 0;
  for (ActiveRows& active : active_) {
    const size_t count = active.segment->num_logits;
    const size_t skipped = active.count - count;
    for (size_t r = 0; r < count; ++r) {
      MoveRow(hidden_.view(), active.batch_row + skipped + r, kept + r);
      MoveRow(q, active.batch_row + skipped + r, kept + r);
    }
    active = {active.segment, skipped, count, kept};
    kept += count;
  }
  num_rows_ = kept;
}

void TextDecoder::Attend(size_t layer) noexcept {
  const MatView<float> q = Qkv().Cols(0, config_.q_size());
  const size_t layer_offset = layer * kv_layout_.LayerBytes();
  causal_.clear();
  layer_blocks_.clear();
  for (const ActiveRows& active : active_) {
    if (active.count == 0) continue;
    const size_t num_blocks = KvLayout::BlocksFor(active.first_token() + active.count);
    const size_t begin = layer_blocks_.size();
    for (size_t b = 0; b < num_blocks; ++b) {
      layer_blocks_.push_back(active.segment->kv[b] + layer_offset);
    }
    const MatView<float> rows = q.Rows(active.batch_row, active.count);
    causal_.push_back({rows, rows, {&layer_blocks_[begin], num_blocks}, active.first_token()});
  }
  TimedWork(
      profile_, [&] { return AttentionWork(); },
      [&] { CausalAttention(kv_layout_.attention, causal_, attention_scratch_, pool_); });
}

KernelWork TextDecoder::AttentionWork() const {
  KernelWork work{"attention"};
  for (const CausalSegment& segment : causal_) {
    const auto rows = static_cast<double>(segment.q.rows());
    const double seen = static_cast<double>(segment.first_token) + (rows + 1) / 2;
    const size_t bytes = 2 * config_.kv_size() * KvNumberBytes(plan_.kv_type);
    work.flops += 4 * rows * seen * static_cast<double>(config_.q_size());
    work.bytes += static_cast<double>((segment.first_token + segment.q.rows()) * bytes);
  }
  return work;
}

void TextDecoder::Mlp(const TextLayerWeights& weights) noexcept {
  Norm(weights.post_attention_layernorm);
  Multiply("gate and up", Normed(), weights.gate_up_proj, GateUp(), LinearMode::kStore);
  const MatView<float> gate = GateUp().Cols(0, config_.intermediate_size);
  Timed(profile_, "silu", [&] {
    SiluMul(gate, GateUp().Cols(config_.intermediate_size, config_.intermediate_size), pool_);
  });
  Multiply("down", gate, weights.down_proj, Hidden(), LinearMode::kAdd);
}

void TextDecoder::Norm(const std::vector<float>& weight) noexcept {
  Timed(profile_, "norm", [&] { RmsNorm(Hidden(), weight.data(), eps_, Normed(), pool_); });
}

void TextDecoder::Multiply(std::string_view name, MatView<const float> x, const PackedMatrix& w,
                           MatView<float> y, LinearMode mode) noexcept {
  TimedWork(
      profile_, [&] { return LinearWork(name, x.rows(), w); },
      [&] { Linear(x, w, nullptr, y, mode, linear_scratch_, pool_); });
}

void TextDecoder::AddDeepstack(size_t layer) noexcept {
  for (const ActiveRows& active : active_) {
    for (const PictureRows& picture : active.segment->pictures) {
      if (layer >= picture.features->deepstack.size()) continue;
      const size_t begin = std::max(picture.first_row, active.skipped);
      const size_t end = std::min(picture.first_row + picture.count, active.skipped + active.count);
      if (begin >= end) continue;
      const size_t feature = picture.first_feature + (begin - picture.first_row);
      const size_t row = active.batch_row + (begin - active.skipped);
      AddTo(picture.features->deepstack[layer].view().Rows(feature, end - begin),
            hidden_.view().Rows(row, end - begin), pool_);
    }
  }
}

}  // namespace ocelli
