#include "cli/checkpoint_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "checkpoint/expected_tensors.h"
#include "model/kv_cache.h"
#include "model/weights.h"

namespace ocelli::cli {
namespace {

// Returns `value` with three digits and a decimal prefix: "2.13 G", "405 M", "917".
std::string Scaled(uint64_t value) {
  constexpr std::string_view kPrefixes = " kMGTP";
  double scaled = static_cast<double>(value);
  size_t prefix = 0;
  while (scaled >= 999.5 && prefix + 1 < kPrefixes.size()) {
    scaled /= 1000;
    ++prefix;
  }
  if (prefix == 0) return fmt::format("{} ", value);
  const int decimals = scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", scaled, decimals, kPrefixes[prefix]);
}

std::string Bytes(uint64_t bytes) { return Scaled(bytes) + "B"; }

// Returns a count of parameters: "2.13 billion", "405 million", "917".
std::string Parameters(uint64_t count) {
  if (count < 1'000'000) return fmt::format("{}", count);
  const bool billions = count >= 999'500'000;
  return fmt::format("{:.2f} {}", static_cast<double>(count) / (billions ? 1e9 : 1e6),
                     billions ? "billion" : "million");
}

std::string Line(std::string_view label, std::string_view text) {
  return fmt::format("{:<11}{}", label, text);
}

std::string TextLine(const CheckpointSummary& summary) {
  const TextConfig& text = summary.config.text_config;
  return Line("text", fmt::format("{} layers, hidden {}, {} heads of {} ({} key/value), "
                                  "{} parameters",
                                  text.num_hidden_layers, text.hidden_size,
                                  text.num_attention_heads, text.head_dim, text.num_key_value_heads,
                                  Parameters(summary.parameters.text)));
}

std::string VisionLine(const CheckpointSummary& summary) {
  const VisionConfig& vision = summary.config.vision_config;
  return Line("vision",
              fmt::format("{} blocks, hidden {}, {} heads of {}, deepstack after [{}], "
                          "{} parameters",
                          vision.depth, vision.hidden_size, vision.num_heads, vision.head_dim(),
                          fmt::join(vision.deepstack_visual_indexes, ", "),
                          Parameters(summary.parameters.vision)));
}

std::string EmbeddingLine(const CheckpointSummary& summary) {
  return Line("embedding",
              fmt::format("{} tokens, {} parameters", summary.config.text_config.vocab_size,
                          Parameters(summary.parameters.embedding)));
}

std::string DTypeLine(const CheckpointSummary& summary) {
  std::vector<std::string> parts;
  for (const auto& [dtype, count] : summary.parameters_by_dtype) {
    parts.push_back(fmt::format("{} {}", Parameters(count), dtype));
  }
  return Line("stored as", fmt::format("{}", fmt::join(parts, ", ")));
}

void AddFileLines(const CheckpointSummary& summary, std::vector<std::string>& lines) {
  uint64_t total = 0;
  size_t tensors = 0;
  for (const CheckpointSummary::File& file : summary.files) {
    total += file.size_bytes;
    tensors += file.num_tensors;
  }
  lines.push_back(Line(
      "files",
      fmt::format("{} with {} tensors, {}{}", summary.files.size(), tensors, Bytes(total),
                  summary.num_extra_tensors == 0
                      ? ""
                      : fmt::format(" ({} tensors are not used)", summary.num_extra_tensors))));
  for (const CheckpointSummary::File& file : summary.files) {
    lines.push_back(Line("", fmt::format("{}  {}", file.name, Bytes(file.size_bytes))));
  }
}

std::string MemoryLine(const CheckpointSummary& summary) {
  const size_t context = summary.config.text_config.max_position_embeddings;
  return Line("memory", fmt::format("{} for weights, {} a token of context ({} for all {} tokens)",
                                    Bytes(summary.weight_bytes), Bytes(summary.kv_bytes_per_token),
                                    Bytes(summary.kv_bytes_per_token * context), context));
}

std::string PictureLine(const CheckpointSummary& summary) {
  return Line("pictures",
              fmt::format("{} to {} tokens each, one for {} x {} pixels", summary.min_image_tokens,
                          summary.max_image_tokens, summary.token_side_px, summary.token_side_px));
}

void AddTemplateLines(const ChatTemplateTraits& traits, std::vector<std::string>& lines) {
  if (traits.opens_thinking) {
    lines.push_back(Line("template", "opens answers with <think>: a Thinking model"));
  }
  if (!traits.difference.empty()) {
    lines.push_back(Line("template", fmt::format("{}; Ocelli writes prompts as Qwen3-VL's own does",
                                                 traits.difference)));
  }
}

}  // namespace

std::string DescribeModel(const CheckpointSummary& summary) {
  return fmt::format("Qwen3-VL, dense, {} parameters, {} embeddings",
                     Parameters(summary.parameters.total()),
                     summary.config.tie_word_embeddings ? "tied" : "separate");
}

Result<CheckpointSummary> Summarize(const Checkpoint& checkpoint, WeightFormat format) {
  CheckpointSummary summary;
  summary.config = checkpoint.config();
  summary.parameters = CountParameters(checkpoint.config());
  for (const TensorSpec& spec : ExpectedTensors(checkpoint.config())) {
    OCELLI_ASSIGN_OR_RETURN(const Checkpoint::Location location,
                            checkpoint.Locate(spec.name, spec.shape));
    summary.parameters_by_dtype[location.entry->dtype_name] += spec.NumElements();
  }
  for (const SafetensorsFile& file : checkpoint.files()) {
    summary.files.push_back(
        {file.path().filename().string(), file.bytes().size(), file.entries().size()});
  }
  summary.num_extra_tensors = checkpoint.NumExtraTensors();
  const bool all_bf16 = summary.parameters_by_dtype.size() == 1 &&
                        summary.parameters_by_dtype.contains(std::string(DTypeName(DType::kBf16)));
  summary.weight_bytes =
      EstimateWeightBytes(checkpoint.config(), all_bf16 ? format : WeightFormat::kFloat32);
  summary.kv_bytes_per_token =
      KvLayout(checkpoint.config().text_config).BlockBytes() / kKvBlockTokens;
  summary.chat_template = checkpoint.directory().chat_template;
  const PreprocessorConfig& preprocessor = checkpoint.preprocessor_config();
  summary.min_image_tokens = preprocessor.min_image_tokens();
  summary.max_image_tokens = preprocessor.max_image_tokens();
  summary.token_side_px = preprocessor.token_side_px();
  return summary;
}

std::vector<std::string> SummaryLines(const CheckpointSummary& summary) {
  std::vector<std::string> lines = {Line("model", DescribeModel(summary)), TextLine(summary),
                                    VisionLine(summary), EmbeddingLine(summary),
                                    DTypeLine(summary)};
  AddFileLines(summary, lines);
  lines.push_back(MemoryLine(summary));
  lines.push_back(PictureLine(summary));
  AddTemplateLines(summary.chat_template, lines);
  return lines;
}

}  // namespace ocelli::cli
