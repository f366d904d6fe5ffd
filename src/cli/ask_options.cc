#include "cli/ask_options.h"

namespace ocelli::cli {
namespace {

template <typename Field, typename Given>
void Replace(Field& field, const std::optional<Given>& given) {
  if (given) field = *given;
}

}  // namespace

SamplingParams ApplyTo(const GenerationConfig& config, const SamplingOptions& options) {
  SamplingParams params = DefaultSamplingParams(config);
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
