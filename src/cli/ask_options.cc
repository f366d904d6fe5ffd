#include "cli/ask_options.h"

#include <algorithm>
#include <string_view>

namespace ocelli::cli {
namespace {

template <typename Field, typename Given>
void Replace(Field& field, const std::optional<Given>& given) {
  if (given) field = *given;
}

}  // namespace

std::optional<EnhanceOptions> EnhanceChoice::Options() const {
  if (!on && turn == 0 && steps.empty()) return std::nullopt;
  EnhanceOptions options;
  options.turn = turn;
  if (steps.empty()) return options;
  const auto has = [this](std::string_view step) { return std::ranges::count(steps, step) > 0; };
  options.page = has("page");
  options.deskew = has("deskew");
  options.light = has("light");
  options.denoise = has("denoise");
  options.contrast = has("contrast");
  options.enlarge = has("enlarge");
  options.binarize = has("binarize");
  return options;
}

SamplingParams ApplyTo(const GenerationConfig& config, const SamplingOptions& options,
                       bool thinking) {
  SamplingParams params = DefaultSamplingParams(config);
  if (thinking) params.max_new_tokens = kThinkingMaxNewTokens;
  Replace(params.max_new_tokens, options.max_new_tokens);
  Replace(params.temperature, options.temperature);
  Replace(params.top_k, options.top_k);
  Replace(params.top_p, options.top_p);
  Replace(params.min_p, options.min_p);
  Replace(params.repetition_penalty, options.repetition_penalty);
  Replace(params.presence_penalty, options.presence_penalty);
  Replace(params.frequency_penalty, options.frequency_penalty);
  Replace(params.seed, options.seed);
  params.stop = options.stop;
  params.ignore_eos = options.ignore_eos;
  return params;
}

}  // namespace ocelli::cli
