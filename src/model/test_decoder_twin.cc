#include "model/test_decoder_twin.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ocelli {
namespace {

using Rows = std::vector<std::vector<double>>;

Rows Times(const Rows& x, const std::vector<float>& weight) {
  const size_t inputs = x[0].size();
  Rows y(x.size(), std::vector<double>(weight.size() / inputs));
  for (size_t r = 0; r < x.size(); ++r) {
    for (size_t n = 0; n < y[r].size(); ++n) {
      for (size_t k = 0; k < inputs; ++k) y[r][n] += x[r][k] * double{weight[n * inputs + k]};
    }
  }
  return y;
}

void Add(const Rows& x, Rows& y) {
  for (size_t r = 0; r < x.size(); ++r) {
    for (size_t c = 0; c < x[r].size(); ++c) y[r][c] += x[r][c];
  }
}

void Normalise(double* x, const std::vector<float>& weight, double eps) {
  double sum = 0;
  for (size_t c = 0; c < weight.size(); ++c) sum += x[c] * x[c];
  const double scale = 1.0 / std::sqrt(sum / static_cast<double>(weight.size()) + eps);
  for (size_t c = 0; c < weight.size(); ++c) x[c] *= scale * double{weight[c]};
}

Rows Normalised(Rows x, const std::vector<float>& weight, double eps) {
  for (std::vector<double>& row : x) Normalise(row.data(), weight, eps);
  return x;
}

// Normalises and turns every head of every row.
void NormRotate(Rows& x, const std::vector<float>& norm, const TextConfig& config,
                MatView<const int32_t> positions) {
  const size_t half = config.head_dim / 2;
  for (size_t r = 0; r < x.size(); ++r) {
    for (size_t head = 0; head < x[r].size(); head += config.head_dim) {
      double* values = x[r].data() + head;
      Normalise(values, norm, config.rms_norm_eps);
      for (size_t i = 0; i < half; ++i) {
        const size_t axis = i < 3 * config.mrope_section[i % 3] ? i % 3 : 0;
        const double angle =
            positions(axis, r) *
            std::pow(config.rope_theta, -static_cast<double>(i) / static_cast<double>(half));
        const double low = values[i];
        const double high = values[i + half];
        values[i] = low * std::cos(angle) - high * std::sin(angle);
        values[i + half] = high * std::cos(angle) + low * std::sin(angle);
      }
    }
  }
}

Rows Attend(const Rows& q, const Rows& k, const Rows& v, const TextConfig& config) {
  const size_t dim = config.head_dim;
  const size_t group = config.num_attention_heads / config.num_key_value_heads;
  Rows out(q.size(), std::vector<double>(q[0].size()));
  for (size_t r = 0; r < q.size(); ++r) {
    for (size_t head = 0; head < config.num_attention_heads; ++head) {
      const size_t kv = head / group * dim;
      std::vector<double> scores(r + 1);
      for (size_t t = 0; t <= r; ++t) {
        for (size_t d = 0; d < dim; ++d) scores[t] += q[r][head * dim + d] * k[t][kv + d];
        scores[t] /= std::sqrt(static_cast<double>(dim));
      }
      const double largest = *std::max_element(scores.begin(), scores.end());
      double sum = 0;
      for (double& score : scores) sum += score = std::exp(score - largest);
      for (size_t t = 0; t <= r; ++t) {
        for (size_t d = 0; d < dim; ++d) {
          out[r][head * dim + d] += scores[t] / sum * v[t][kv + d];
        }
      }
    }
  }
  return out;
}

Rows Gated(Rows gate, const Rows& up) {
  for (size_t r = 0; r < gate.size(); ++r) {
    for (size_t c = 0; c < gate[r].size(); ++c) {
      gate[r][c] = gate[r][c] / (1.0 + std::exp(-gate[r][c])) * up[r][c];
    }
  }
  return gate;
}

void Layer(TestWeights& weights, const std::string& name, MatView<const int32_t> positions,
           Rows& hidden) {
  const TextConfig& config = weights.config().text_config;
  const double eps = config.rms_norm_eps;
  Rows normed = Normalised(hidden, weights[name + "input_layernorm.weight"], eps);
  Rows q = Times(normed, weights[name + "self_attn.q_proj.weight"]);
  Rows k = Times(normed, weights[name + "self_attn.k_proj.weight"]);
  const Rows v = Times(normed, weights[name + "self_attn.v_proj.weight"]);
  NormRotate(q, weights[name + "self_attn.q_norm.weight"], config, positions);
  NormRotate(k, weights[name + "self_attn.k_norm.weight"], config, positions);
  Add(Times(Attend(q, k, v, config), weights[name + "self_attn.o_proj.weight"]), hidden);
  normed = Normalised(hidden, weights[name + "post_attention_layernorm.weight"], eps);
  Add(Times(Gated(Times(normed, weights[name + "mlp.gate_proj.weight"]),
                  Times(normed, weights[name + "mlp.up_proj.weight"])),
            weights[name + "mlp.down_proj.weight"]),
      hidden);
}

}  // namespace

std::vector<std::vector<double>> TwinLogits(TestWeights& weights,
                                            std::span<const int32_t> token_ids,
                                            std::span<const TwinPicture> pictures) {
  const TextConfig& config = weights.config().text_config;
  const std::string name = "model.language_model.";
  const std::vector<float>& embedding = weights[name + "embed_tokens.weight"];
  std::vector<PictureSpan> spans;
  for (const TwinPicture& picture : pictures) spans.push_back(picture.span);
  Mat<int32_t> positions(3, token_ids.size());
  RopeIndex(token_ids.size(), spans).CopyTo(0, positions.view());

  Rows hidden(token_ids.size(), std::vector<double>(config.hidden_size));
  for (size_t r = 0; r < hidden.size(); ++r) {
    const size_t first = static_cast<size_t>(token_ids[r]) * config.hidden_size;
    std::copy_n(embedding.begin() + static_cast<std::ptrdiff_t>(first), config.hidden_size,
                hidden[r].begin());
  }
  for (const TwinPicture& picture : pictures) {
    for (size_t t = 0; t < picture.span.num_tokens(); ++t) {
      std::copy_n(picture.features->embeds.view().Row(t), config.hidden_size,
                  hidden[picture.span.first_token + t].begin());
    }
  }
  for (size_t layer = 0; layer < config.num_hidden_layers; ++layer) {
    Layer(weights, name + "layers." + std::to_string(layer) + ".", positions.view(), hidden);
    for (const TwinPicture& picture : pictures) {
      if (layer >= picture.features->deepstack.size()) continue;
      for (size_t t = 0; t < picture.span.num_tokens(); ++t) {
        const float* feature = picture.features->deepstack[layer].view().Row(t);
        for (double& value : hidden[picture.span.first_token + t]) value += double{*feature++};
      }
    }
  }
  const bool tied = weights.config().tie_word_embeddings;
  return Times(Normalised(hidden, weights[name + "norm.weight"], config.rms_norm_eps),
               tied ? embedding : weights["lm_head.weight"]);
}

}  // namespace ocelli
