// Measures a whole model: loading, memory, picture encoding, prefill and decode, as rates against
// what the machine can do at the same moment. By default the 2B model with random weights.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/cpu_features.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/dummy_weights.h"
#include "kernels/peaks.h"
#include "kernels/targets.h"
#include "model/model.h"

namespace ocelli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kPeakSeconds = 0.05;
constexpr size_t kReadBytes = size_t{1} << 29;  // more than any cache
constexpr size_t kMaxRows = 512;
constexpr size_t kContextTokens = 128;

struct Options {
  int threads = 2;
  int repeats = 3;
  size_t decode_steps = 16;
  std::string config = OCELLI_SOURCE_DIR "/bench/shapes/qwen3_vl_2b";
  std::string model;
  std::string weights;  // bf16, packed12 or float32; empty: the fastest
  std::string only;     // words of the figures wanted
};

// What one call does.
struct Work {
  double flops = 0;
  double bytes = 0;  // of weights and cached keys and values read
};

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Returns the most memory that this process has held at once, less what the bench itself reads.
double PeakMemoryGb() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) {
      return (kilobytes * 1024 - static_cast<double>(kReadBytes)) * 1e-9;
    }
  }
  return 0;
}

double MatrixWeights(const PackedMatrix& matrix) {
  return static_cast<double>(matrix.num_outputs() * matrix.num_inputs());
}

double LayerWeights(const TextLayerWeights& layer) {
  return MatrixWeights(layer.qkv_proj) + MatrixWeights(layer.o_proj) +
         MatrixWeights(layer.gate_up_proj) + MatrixWeights(layer.down_proj);
}

size_t LayerBytes(const TextLayerWeights& layer) {
  return layer.qkv_proj.size_bytes() + layer.o_proj.size_bytes() + layer.gate_up_proj.size_bytes() +
         layer.down_proj.size_bytes();
}

double MergerWeights(const PatchMergerWeights& merger) {
  return MatrixWeights(merger.linear_fc1.weight) + MatrixWeights(merger.linear_fc2.weight);
}

// Counts two operations for each weight and row, and attention's two products.
Work EncodeWork(const Model& model, size_t num_patches) {
  const VisionConfig& config = model.config().vision_config;
  const VisionWeights& weights = model.weights().visual;
  const auto patches = static_cast<double>(num_patches);
  const double tokens =
      patches / static_cast<double>(config.spatial_merge_size * config.spatial_merge_size);
  double per_patch = MatrixWeights(weights.patch_embed.weight);
  for (const VisionBlockWeights& block : weights.blocks) {
    per_patch += MatrixWeights(block.qkv.weight) + MatrixWeights(block.proj.weight) +
                 MatrixWeights(block.linear_fc1.weight) + MatrixWeights(block.linear_fc2.weight);
  }
  double per_token = MergerWeights(weights.merger);
  for (const PatchMergerWeights& merger : weights.deepstack_merger_list) {
    per_token += MergerWeights(merger);
  }
  const double attention =
      4 * patches * patches * static_cast<double>(config.hidden_size * config.depth);
  return {2 * (per_patch * patches + per_token * tokens) + attention, 0};
}

// `rows` new tokens behind `context` others, logits for the last.
Work DecoderWork(const Model& model, size_t rows, size_t context) {
  const TextConfig& config = model.config().text_config;
  const TextWeights& weights = model.weights().language_model;
  const auto new_tokens = static_cast<double>(rows);
  const double seen = static_cast<double>(context) + (new_tokens + 1) / 2;
  const double layers = static_cast<double>(config.num_hidden_layers);
  Work work;
  for (const TextLayerWeights& layer : weights.layers) {
    work.flops += 2 * LayerWeights(layer) * new_tokens;
    work.bytes += static_cast<double>(LayerBytes(layer));
  }
  work.flops += 4 * layers * static_cast<double>(config.q_size()) * new_tokens * seen;
  work.flops += 2 * MatrixWeights(weights.lm_head());
  work.bytes += static_cast<double>(weights.lm_head().size_bytes());
  work.bytes += layers * 2 * static_cast<double>(config.kv_size()) * sizeof(float) * seen;
  return work;
}

class ModelBench {
 public:
  explicit ModelBench(const Options& options)
      : options_(options), pool_(options.threads), read_(kReadBytes, pool_) {}

  // Returns 0, or 1 when the model cannot be loaded.
  int Run() {
    fmt::print("{}, {}, {} threads\n", CpuModelName(), TargetName(ActiveTarget()),
               options_.threads);
    if (const Status status = Load(); !status.ok()) {
      fmt::print(stderr, "{}\n", status.error().message);
      return 1;
    }
    Encode(336, 336);
    Encode(1024, 768);
    Prefill(128);
    Prefill(512);
    Decode();
    fmt::print("peak memory {:.2f} GB\n", PeakMemoryGb());
    return 0;
  }

 private:
  static constexpr size_t kPatchesOfLargest = size_t{64} * 48;

  Status Load() {
    const Clock::time_point start = Clock::now();
    if (options_.model.empty()) {
      OCELLI_ASSIGN_OR_RETURN(const ModelConfig config,
                              ReadModelConfig(options_.config + "/config.json"));
      DummyWeights source(config, 1, pool_);
      OCELLI_RETURN_IF_ERROR(LoadFrom(source));
    } else {
      OCELLI_ASSIGN_OR_RETURN(Checkpoint checkpoint, Checkpoint::Open(options_.model));
      OCELLI_RETURN_IF_ERROR(checkpoint.CheckComplete());
      OCELLI_RETURN_IF_ERROR(LoadFrom(checkpoint));
    }
    const double seconds = SecondsSince(start);
    const ModelMemory memory = model_->memory();
    fmt::print(
        "load {:.2f} s{}; weights {:.3f} GB, encoder {:.3f} GB, decoder {:.3f} GB, KV {:.0f} KB a "
        "token, peak memory {:.2f} GB\n",
        seconds, options_.model.empty() ? " (making random weights included)" : "",
        static_cast<double>(memory.weight_bytes) * 1e-9,
        static_cast<double>(memory.encoder_bytes) * 1e-9,
        static_cast<double>(memory.decoder_bytes) * 1e-9,
        static_cast<double>(memory.kv_block_bytes) / kKvBlockTokens / 1024, PeakMemoryGb());
    return {};
  }

  Status LoadFrom(WeightSource& source) {
    ModelPlan plan;
    plan.decoder = {.max_rows = kMaxRows,
                    .max_logit_rows = 1,
                    .max_segments = 1,
                    .max_context_tokens = kMaxRows + options_.decode_steps};
    plan.max_patches = kPatchesOfLargest;
    plan.weight_format = WeightFormatNamed(options_.weights);
    OCELLI_ASSIGN_OR_RETURN(model_, Model::Load(source, plan, pool_));
    kv_ = std::make_unique<KvArena>(model_->kv_layout(),
                                    KvLayout::BlocksFor(plan.decoder.max_context_tokens));
    for (KvBlockId block = 0; block < kv_->num_blocks(); ++block) {
      blocks_.push_back(kv_->Data(block));
    }
    return {};
  }

  void Encode(size_t width_px, size_t height_px) {
    const VisionConfig& config = model_->config().vision_config;
    const size_t token_px = config.patch_size * config.spatial_merge_size;
    const size_t grid_w = (width_px + token_px / 2) / token_px * config.spatial_merge_size;
    const size_t grid_h = (height_px + token_px / 2) / token_px * config.spatial_merge_size;
    Mat<float> pixels(grid_h * grid_w, config.patch_floats() / config.temporal_patch_size);
    for (size_t i = 0; i < pixels.rows() * pixels.cols(); ++i) {
      pixels.data()[i] = static_cast<float>(i * 37 % 256) / 127.5f - 1.0f;
    }
    const auto body = [&] {
      VisionPass pass = model_->vision_encoder().Begin(pixels.view(), grid_h, grid_w);
      while (pass.Step()) {
      }
    };
    Report(fmt::format("encode {}x{} ({} patches)", width_px, height_px, pixels.rows()),
           EncodeWork(*model_, pixels.rows()), 0, options_.repeats, body);
  }

  void Prefill(size_t rows) {
    const auto body = [&] { Forward(rows, 0); };
    Report(fmt::format("prefill {}", rows), DecoderWork(*model_, rows, 0),
           static_cast<double>(rows), options_.repeats, body);
  }

  void Decode() {
    Forward(kContextTokens, 0);
    size_t context = kContextTokens;
    const auto body = [&] { Forward(1, context++); };
    Report(fmt::format("decode at {}", kContextTokens), DecoderWork(*model_, 1, kContextTokens), 1,
           static_cast<int>(options_.decode_steps), body);
  }

  void Forward(size_t rows, size_t first_token) {
    std::vector<int32_t> tokens(rows);
    for (size_t i = 0; i < rows; ++i) {
      tokens[i] =
          static_cast<int32_t>((first_token + i) * 61 % model_->config().text_config.vocab_size);
    }
    Mat<int32_t> positions(3, rows);
    RopeIndex().CopyTo(first_token, positions.view());
    const DecoderSegment segment{tokens, {}, positions.view(), first_token, blocks_, 1};
    model_->text_decoder().Forward({&segment, 1});
  }

  // Runs `body` once to warm up, then `repeats` times with both peaks measured beside each.
  template <class Body>
  void Report(const std::string& name, const Work& work, double tokens, int repeats,
              const Body& body) {
    if (name.find(options_.only) == std::string::npos) return;
    body();
    std::vector<double> seconds, of_fma, of_read;
    for (int i = 0; i < repeats; ++i) {
      const double fma = MeasureFmaPeak(kPeakSeconds, pool_);
      const double read = read_.MeasureBandwidth(kPeakSeconds, pool_);
      const Clock::time_point start = Clock::now();
      body();
      seconds.push_back(SecondsSince(start));
      of_fma.push_back(work.flops / seconds.back() / fma);
      of_read.push_back(work.bytes / seconds.back() / read);
    }
    const double time = Median(seconds);
    fmt::print("{:<32} {:9.1f} ms", name, time * 1e3);
    if (tokens > 0) fmt::print("  {:7.2f} tokens/s", tokens / time);
    fmt::print("  {:6.1f} GFLOP/s ({:.0f} % of the multiply-add peak)", work.flops / time * 1e-9,
               Median(of_fma) * 100);
    if (work.bytes > 0) {
      fmt::print("  {:5.1f} GB/s ({:.0f} % of the read peak)", work.bytes / time * 1e-9,
                 Median(of_read) * 100);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }

  Options options_;
  ThreadPool pool_;
  ReadBuffer read_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<KvArena> kv_;
  std::vector<std::byte*> blocks_;  // all of them
};

}  // namespace
}  // namespace ocelli

int main(int argc, char** argv) {
  ocelli::Options options;
  CLI::App app("Measures a whole model on this machine");
  app.add_option("--threads", options.threads, "Compute threads")->check(CLI::Range(1, 1024));
  app.add_option("--repeats", options.repeats, "Measurements of each figure")
      ->check(CLI::Range(1, 1000));
  app.add_option("--decode-steps", options.decode_steps, "Decode steps measured")
      ->check(CLI::Range(1, 1000));
  app.add_option("--config", options.config,
                 "Directory of a config.json to fill with random weights");
  app.add_option("--model", options.model, "Directory of a checkpoint, in place of --config");
  app.add_option("--weights", options.weights, "How weights are held")
      ->check(CLI::IsMember({"bf16", "packed12", "float32"}));
  app.add_option("--only", options.only,
                 "Only figures whose name has these words, as in \"decode\"");
  CLI11_PARSE(app, argc, argv);
  return ocelli::ModelBench(options).Run();
}
