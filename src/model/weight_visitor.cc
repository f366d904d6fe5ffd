#include "model/weight_visitor.h"

#include <string>

namespace ocelli {
namespace {

void Norm(WeightVisitor& visitor, const std::string& name, size_t size, LayerNormWeights& out) {
  visitor.Vector(name + ".weight", size, out.weight);
  visitor.Vector(name + ".bias", size, out.bias);
}

void Linear(WeightVisitor& visitor, const std::string& name, size_t outputs, size_t inputs,
            LinearWeights& out) {
  visitor.Matrix({{name + ".weight", outputs}}, inputs, out.weight);
  visitor.Vector(name + ".bias", outputs, out.bias);
}

void VisitBlock(WeightVisitor& visitor, const VisionConfig& config, const std::string& name,
                VisionBlockWeights& out) {
  const size_t size = config.hidden_size;
  Norm(visitor, name + ".norm1", size, out.norm1);
  Linear(visitor, name + ".attn.qkv", 3 * size, size, out.qkv);
  Linear(visitor, name + ".attn.proj", size, size, out.proj);
  Norm(visitor, name + ".norm2", size, out.norm2);
  Linear(visitor, name + ".mlp.linear_fc1", config.intermediate_size, size, out.linear_fc1);
  Linear(visitor, name + ".mlp.linear_fc2", size, config.intermediate_size, out.linear_fc2);
}

void VisitMerger(WeightVisitor& visitor, const VisionConfig& config, const std::string& name,
                 size_t norm_size, PatchMergerWeights& out) {
  const size_t merged_size = config.merged_size();
  Norm(visitor, name + ".norm", norm_size, out.norm);
  Linear(visitor, name + ".linear_fc1", merged_size, merged_size, out.linear_fc1);
  Linear(visitor, name + ".linear_fc2", config.out_hidden_size, merged_size, out.linear_fc2);
}

void VisitVision(WeightVisitor& visitor, const VisionConfig& config, VisionWeights& out) {
  const std::string name = "model.visual.";
  visitor.PatchKernel(config, out.patch_embed.weight);
  visitor.Vector(name + "patch_embed.proj.bias", config.hidden_size, out.patch_embed.bias);
  visitor.Table(name + "pos_embed.weight", config.num_position_embeddings, config.hidden_size,
                out.pos_embed);
  out.blocks.resize(config.depth);
  for (size_t i = 0; i < config.depth; ++i) {
    VisitBlock(visitor, config, name + "blocks." + std::to_string(i), out.blocks[i]);
  }
  VisitMerger(visitor, config, name + "merger", config.hidden_size, out.merger);
  out.deepstack_merger_list.resize(config.deepstack_visual_indexes.size());
  for (size_t i = 0; i < out.deepstack_merger_list.size(); ++i) {
    VisitMerger(visitor, config, name + "deepstack_merger_list." + std::to_string(i),
                config.merged_size(), out.deepstack_merger_list[i]);
  }
}

void VisitLayer(WeightVisitor& visitor, const TextConfig& config, const std::string& name,
                TextLayerWeights& out) {
  const size_t size = config.hidden_size;
  visitor.Vector(name + ".input_layernorm.weight", size, out.input_layernorm);
  visitor.Matrix({{name + ".self_attn.q_proj.weight", config.q_size()},
                  {name + ".self_attn.k_proj.weight", config.kv_size()},
                  {name + ".self_attn.v_proj.weight", config.kv_size()}},
                 size, out.qkv_proj);
  visitor.Vector(name + ".self_attn.q_norm.weight", config.head_dim, out.q_norm);
  visitor.Vector(name + ".self_attn.k_norm.weight", config.head_dim, out.k_norm);
  visitor.Matrix({{name + ".self_attn.o_proj.weight", size}}, config.q_size(), out.o_proj);
  visitor.Vector(name + ".post_attention_layernorm.weight", size, out.post_attention_layernorm);
  visitor.Matrix({{name + ".mlp.gate_proj.weight", config.intermediate_size},
                  {name + ".mlp.up_proj.weight", config.intermediate_size}},
                 size, out.gate_up_proj);
  visitor.Matrix({{name + ".mlp.down_proj.weight", size}}, config.intermediate_size, out.down_proj);
}

void VisitText(WeightVisitor& visitor, const ModelConfig& config, TextWeights& out) {
  const TextConfig& text = config.text_config;
  const std::string name = "model.language_model.";
  // The largest matrices first: while one is packed, its source takes memory too.
  visitor.Matrix({{name + "embed_tokens.weight", text.vocab_size}}, text.hidden_size,
                 out.embed_tokens);
  if (!config.tie_word_embeddings) {
    visitor.Matrix({{"lm_head.weight", text.vocab_size}}, text.hidden_size, out.untied_lm_head);
  }
  out.layers.resize(text.num_hidden_layers);
  for (size_t i = 0; i < out.layers.size(); ++i) {
    VisitLayer(visitor, text, name + "layers." + std::to_string(i), out.layers[i]);
  }
  visitor.Vector(name + "norm.weight", text.hidden_size, out.norm);
}

// Numbers that are no matrices are copies already.
class MatrixCopier : public WeightVisitor {
 public:
  explicit MatrixCopier(ThreadPool& pool) : pool_(pool) {}

  void Matrix(const std::vector<Part>&, size_t, PackedMatrix& out) override {
    out = out.Copied(pool_);
  }
  void PatchKernel(const VisionConfig&, PackedMatrix& out) override { out = out.Copied(pool_); }
  void Vector(const std::string&, size_t, std::vector<float>&) override {}
  void Table(const std::string&, size_t, size_t, Mat<float>&) override {}

 private:
  ThreadPool& pool_;
};

}  // namespace

void VisitWeights(const ModelConfig& config, ModelWeights& weights, WeightVisitor& visitor) {
  VisitText(visitor, config, weights.language_model);
  VisitVision(visitor, config.vision_config, weights.visual);
}

void CopyMatrices(const ModelConfig& config, ModelWeights& weights, ThreadPool& pool) {
  MatrixCopier copier(pool);
  VisitWeights(config, weights, copier);
}

}  // namespace ocelli
