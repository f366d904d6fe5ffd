#include "cli/model_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "base/function_ref.h"
#include "base/rounding.h"
#include "kernels/peaks.h"
#include "model/kv_cache.h"
#include "model/model.h"
#include "model/mrope.h"

namespace ocelli::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kPeakSeconds = 0.05;
constexpr size_t kReadBytes = size_t{1} << 29;  // more than any cache

// Returns the median, which for an even number is the upper of the two in the middle.
template <class T, class Less = std::less<T>>
T Median(std::vector<T> values, Less less = {}) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end(), less);
  return *middle;
}

// A pass that was measured.
struct Pass {
  double seconds = 0;
  std::vector<KernelTime> kernels;
};

// The grid of a picture of `size`, rounded to whole tokens.
struct Grid {
  size_t width, height;

  Grid(SizePx size, const VisionConfig& config)
      : width(Patches(size.width_px, config)), height(Patches(size.height_px, config)) {}
  static size_t Patches(int side_px, const VisionConfig& config) {
    const size_t token_px = config.patch_size * config.spatial_merge_size;
    const size_t tokens = (static_cast<size_t>(side_px) + token_px / 2) / token_px;
    return std::max<size_t>(1, tokens) * config.spatial_merge_size;
  }
  size_t num_patches() const { return width * height; }
};

class Profiler {
 public:
  Profiler(Model& model, size_t repeats, size_t max_tokens, ThreadPool& pool)
      : model_(model),
        repeats_(repeats),
        pool_(pool),
        read_(kReadBytes, pool),
        kv_(model.kv_layout(), KvLayout::BlocksFor(max_tokens)) {
    for (KvBlockId block = 0; block < kv_.num_blocks(); ++block) blocks_.push_back(kv_.Data(block));
  }

  PhaseProfile Encode(SizePx size) {
    const VisionConfig& config = model_.config().vision_config;
    const Grid grid(size, config);
    Mat<float> pixels(grid.num_patches(), config.patch_floats() / config.temporal_patch_size);
    for (size_t i = 0; i < pixels.rows() * pixels.cols(); ++i) {
      pixels.data()[i] = static_cast<float>(i * 37 % 256) / 127.5f - 1.0f;
    }
    return Measure(fmt::format("encode {}x{}", size.width_px, size.height_px), [&] {
      VisionPass pass = model_.vision_encoder().Begin(pixels.view(), grid.height, grid.width);
      while (pass.Step()) {
      }
    });
  }

  PhaseProfile Prefill(size_t tokens) {
    return Measure(fmt::format("prefill {} tokens", tokens), [&] { Forward(tokens, 0); });
  }

  PhaseProfile Decode(size_t context_tokens) {
    if (context_tokens > 0) Forward(context_tokens, 0);
    return Measure(fmt::format("decode behind {} tokens", context_tokens),
                   [&] { Forward(1, context_tokens); });
  }

 private:
  void Forward(size_t rows, size_t first_token) {
    std::vector<int32_t> tokens(rows);
    for (size_t i = 0; i < rows; ++i) {
      tokens[i] =
          static_cast<int32_t>((first_token + i) * 61 % model_.config().text_config.vocab_size);
    }
    Mat<int32_t> positions(3, rows);
    RopeIndex().CopyTo(first_token, positions.view());
    const DecoderSegment segment{tokens, {}, positions.view(), first_token, blocks_, 1};
    model_.text_decoder().Forward({&segment, 1});
  }

  // Runs `pass` once to warm up, then as often as wanted with both peaks measured beside each.
  PhaseProfile Measure(std::string name, FunctionRef<void()> pass) {
    pass();
    std::vector<Pass> passes;
    std::vector<double> fma, read;
    for (size_t i = 0; i < repeats_; ++i) {
      fma.push_back(MeasureFmaPeak(kPeakSeconds, pool_));
      read.push_back(read_.MeasureBandwidth(kPeakSeconds, pool_));
      passes.push_back(MeasureOnce(pass));
    }
    Pass median = Median(std::move(passes),
                         [](const Pass& a, const Pass& b) { return a.seconds < b.seconds; });
    return {std::move(name), median.seconds, Median(fma), Median(read), std::move(median.kernels)};
  }

  Pass MeasureOnce(FunctionRef<void()> pass) {
    PassProfile profile;
    model_.SetProfile(&profile);
    const Clock::time_point start = Clock::now();
    pass();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    model_.SetProfile(nullptr);
    return {seconds, profile.kernels()};
  }

  Model& model_;
  size_t repeats_;
  ThreadPool& pool_;
  ReadBuffer read_;
  KvArena kv_;
  std::vector<std::byte*> blocks_;  // all of them
};

Status CheckTokens(const ProfileWorkload& workload, const TextConfig& config) {
  const size_t most = config.max_position_embeddings;
  const auto check = [most](size_t tokens, const char* option) -> Status {
    if (tokens <= most) return {};
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--{} asks for a pass up to token {}, the model ends at {}; use less",
                             option, tokens, most),
                 option};
  };
  for (const size_t tokens : workload.prompt_tokens) {
    OCELLI_RETURN_IF_ERROR(check(tokens, "prompt-tokens"));
  }
  return check(workload.context_tokens + 1, "context");
}

// Returns options that leave room for the largest pass and no more.
EngineOptions OptionsFor(const ProfileWorkload& workload, const VisionConfig& config) {
  EngineOptions options;
  options.max_queue = 1;
  options.max_sequences = 1;
  options.max_image_tokens = 1;
  for (const SizePx size : workload.pictures) {
    const size_t merge = config.spatial_merge_size;
    options.max_image_tokens =
        std::max(options.max_image_tokens, Grid(size, config).num_patches() / (merge * merge));
  }
  for (const size_t tokens : workload.prompt_tokens) {
    options.prefill_chunk_tokens = std::max(options.prefill_chunk_tokens, tokens);
  }
  options.prefill_chunk_tokens = std::max(options.prefill_chunk_tokens, workload.context_tokens);
  options.max_context_tokens = options.prefill_chunk_tokens + 1;
  return options;
}

}  // namespace

Result<std::vector<PhaseProfile>> ProfileModel(const ProfileWorkload& workload, SessionFiles& files,
                                               ThreadPool& pool) {
  OCELLI_RETURN_IF_ERROR(CheckTokens(workload, files.config.text_config));
  const EngineOptions options = OptionsFor(workload, files.config.vision_config);
  OCELLI_ASSIGN_OR_RETURN(const std::unique_ptr<Model> model, LoadModel(files, options, pool));
  Profiler profiler(*model, workload.repeats, options.max_context_tokens, pool);
  std::vector<PhaseProfile> phases;
  for (const SizePx size : workload.pictures) phases.push_back(profiler.Encode(size));
  for (const size_t tokens : workload.prompt_tokens) phases.push_back(profiler.Prefill(tokens));
  phases.push_back(profiler.Decode(workload.context_tokens));
  return phases;
}

}  // namespace ocelli::cli
