#include "cli/option_groups.h"

#include <CLI/CLI.hpp>
#include <string>

#include "base/byte_size.h"
#include "cli/whole_number.h"

namespace ocelli::cli {
namespace {

constexpr size_t kMostWaiting = 1'000'000;
constexpr size_t kMostSequences = 1024;
constexpr size_t kMostContextTokens = size_t{1} << 24;
constexpr size_t kMostImageTokens = 16'384;  // the largest picture that Qwen3-VL was made for
constexpr size_t kMostDraftTokens = 7;       // as many as the scheduler ever takes

}  // namespace

void AddSize(CLI::App& command, const std::string& name, uint64_t& field, const std::string& help) {
  const auto to_bytes = [](std::string& text) -> std::string {
    const auto size = ParseByteSize(text);
    if (!size.ok()) return size.error().message;
    text = std::to_string(*size);
    return "";
  };
  command.add_option(name, field, help)->transform(CLI::Validator(to_bytes, "SIZE"));
}

void AddModelOptions(CLI::App& command, ModelOptions& options) {
  command.add_option("--model", options.model,
                     "A model of `ocelli models`, such as Qwen/Qwen3-VL-2B-Instruct, or the folder "
                     "of a checkpoint (default: the embedded model)");
  command.add_flag("--pull", options.pull, "Fetch the model first when it is not here");
  command
      .add_option("--load-format", options.load_format,
                  "auto, or dummy: random weights, for benchmarks")
      ->check(CLI::IsMember({"auto", "dummy"}));
  command.add_option("--config", options.config,
                     "With --load-format dummy: folder with the config.json to imitate");
  command
      .add_option("--threads", options.threads,
                  "Compute threads (default: what affinity and cgroup quota allow)")
      ->check(CLI::Range(1, 1024));
  command
      .add_option(
          "--weights", options.weights,
          "How weights are held, always exactly: packed12 (12 bits each), bf16, float32, or "
          "auto (default: the fastest here)")
      ->check(CLI::IsMember({"auto", "packed12", "bf16", "float32"}));
  command.add_option("--packed", options.packed,
                     "Where converted weights are kept for the next start: auto (default: in "
                     "$XDG_CACHE_HOME/ocelli, for large models), off, or the path of a file");
  command
      .add_option("--huge-pages", options.huge_pages,
                  "Transparent huge pages: on (default), off, or as the system is set")
      ->check(CLI::IsMember({"on", "off", "system"}));
}

void AddSamplingOptions(CLI::App& command, SamplingOptions& options) {
  AddWhole(command, "--max-new-tokens", options.max_new_tokens,
           "Longest answer (default 512; 2048 with reasoning)");
  command.add_option("--temperature", options.temperature, "0 is greedy (default: the model's)");
  AddWhole(command, "--top-k", options.top_k, "Keep this many likeliest tokens; 0: all");
  command.add_option("--top-p", options.top_p, "Keep the likeliest tokens up to this probability");
  command.add_option("--min-p", options.min_p,
                     "Keep tokens at least this likely, relative to the likeliest");
  command.add_option("--repetition-penalty", options.repetition_penalty,
                     "Above 1 discourages every token seen");
  command.add_option("--presence-penalty", options.presence_penalty,
                     "Taken from the logits of tokens in the answer");
  command.add_option("--frequency-penalty", options.frequency_penalty,
                     "The same, times how often they stand there");
  AddWhole(command, "--seed", options.seed, "Makes sampling repeatable");
  command.add_option("--stop", options.stop, "End the answer before this text (up to 4 times)")
      ->allow_extra_args(false);  // else it swallows the pictures and the question
  command.add_flag("--ignore-eos", options.ignore_eos, "Go on to the bound, for benchmarks");
}

void AddPictureOptions(CLI::App& command, PictureOptions& options) {
  AddWhole(command, "--max-side", options.max_side, "Longer side of a picture, in pixels, at most");
  AddWhole(command, "--min-side", options.min_side,
           "Shorter side of a picture, in pixels, at least");
  AddWhole(command, "--max-image-tokens", options.max_image_tokens,
           "Image tokens of a picture at most (default 1024)");
  AddWhole(command, "--min-pixels", options.min_pixels, "Area of a picture, in pixels, at least");
  AddWhole(command, "--max-pixels", options.max_pixels, "Area of a picture, in pixels, at most");
}

void AddEnhanceOptions(CLI::App& command, EnhanceChoice& choice) {
  command.add_flag("--enhance", choice.on,
                   "Make pictures of text easier to read first, where they need it");
  command
      .add_option("--turn", choice.turn, "Enhance, and turn by 90, 180 or 270 degrees clockwise")
      ->check(CLI::IsMember({0, 90, 180, 270}));
  command
      .add_option(
          "--enhance-steps", choice.steps,
          "Enhance with these steps alone: page, deskew, light, denoise, contrast, enlarge, "
          "binarize (default: all but enlarge and binarize)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(
          CLI::IsMember({"page", "deskew", "light", "denoise", "contrast", "enlarge", "binarize"}));
}

void AddShowReasoning(CLI::App& command, bool& show) {
  command.add_flag("--show-reasoning", show,
                   "Print what a Thinking model reasons before it answers, to stderr");
}

void AddKvType(CLI::App& command, KvType& type) {
  const auto parse = [&type](const std::string& name) {
    type = name == KvTypeName(KvType::kBf16) ? KvType::kBf16 : KvType::kFloat32;
  };
  command
      .add_option_function<std::string>(
          "--kv-type", parse,
          "Numbers of the KV cache: float32 (default), or bf16: half the memory, less exact")
      ->check(CLI::IsMember(
          {std::string(KvTypeName(KvType::kFloat32)), std::string(KvTypeName(KvType::kBf16))}));
}

void AddEngineOptions(CLI::App& command, EngineOptions& options) {
  AddKvType(command, options.kv_type);
  AddSize(command, "--kv-memory", options.kv_memory_bytes,
          "Memory for the KV cache, such as 2G (default: from what can be had)");
  AddSize(command, "--vision-cache", options.vision_cache_bytes,
          "Memory for encoded pictures, such as 256M (default: from what can be had)");
  AddWhole(command, "--max-queue", options.max_queue, "Requests that may wait; more are refused", 1,
           kMostWaiting)
      ->capture_default_str();
  AddWhole(command, "--max-sequences", options.max_sequences, "Answers written at the same time", 1,
           kMostSequences)
      ->capture_default_str();
  AddWhole(command, "--max-context", options.max_context_tokens,
           "Tokens of a prompt and its answer at most (default: the model's)", 1,
           kMostContextTokens);
  AddWhole(command, "--image-token-limit", options.max_image_tokens,
           "Image tokens that a request may ask for, of one picture", 1, kMostImageTokens)
      ->capture_default_str();
  AddWhole(command, "--speculate", options.max_draft_tokens,
           "Guesses a step from the prompt's own words; 0: none. Answers stay the same", 0,
           kMostDraftTokens)
      ->capture_default_str();
}

}  // namespace ocelli::cli
