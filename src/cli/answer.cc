#include "cli/answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "api/enhance_field.h"

namespace ocelli::cli {
namespace {

using nlohmann::ordered_json;

// The stages in the order in which they happen.
std::vector<std::pair<const char*, double>> Stages(const Answer& answer) {
  const StageTimes& times = answer.finished.times;
  return {{"load", answer.load_seconds},      {"pictures", answer.picture_seconds},
          {"queued", times.queued},           {"encode", times.encoding},
          {"prefill", times.prefill},         {"decode", times.decode},
          {"first_token", times.first_token}, {"total", times.total}};
}

ordered_json SizeJson(SizePx size) {
  return {{"width", size.width_px}, {"height", size.height_px}};
}

ordered_json PicturesJson(const std::vector<UsedPicture>& pictures) {
  ordered_json list = ordered_json::array();
  for (const UsedPicture& picture : pictures) {
    list.push_back({{"name", picture.name},
                    {"original_size", SizeJson(picture.patches->original_size)},
                    {"used_size", SizeJson(picture.patches->used_size)},
                    {"image_tokens", picture.patches->image_tokens}});
    if (picture.patches->enhanced) {
      list.back()["enhanced"] = api::EnhancedJson(*picture.patches->enhanced);
    }
  }
  return list;
}

double PerSecond(size_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

}  // namespace

std::string CutOffLine(const Answer& answer) {
  const bool reasoning = answer.text.empty() && !answer.reasoning.empty();
  return fmt::format("(cut off {}after {} tokens; --max-new-tokens sets the bound)",
                     reasoning ? "inside its reasoning, " : "", answer.token_ids.size());
}

std::string AnswerJson(const Answer& answer) {
  const Usage& usage = answer.finished.usage;
  ordered_json document = {{"text", answer.text},
                           {"finish_reason", FinishReasonName(answer.finished.reason)},
                           {"token_ids", answer.token_ids},
                           {"prompt_token_ids", answer.prompt_token_ids},
                           {"pictures", PicturesJson(answer.pictures)},
                           {"usage",
                            {{"prompt_tokens", usage.prompt_tokens},
                             {"image_tokens", usage.image_tokens},
                             {"cached_tokens", usage.cached_tokens},
                             {"completion_tokens", usage.completion_tokens},
                             {"reasoning_tokens", usage.reasoning_tokens}}}};
  if (!answer.reasoning.empty()) document["reasoning_content"] = answer.reasoning;
  for (const auto& [stage, seconds] : Stages(answer)) document["seconds"][stage] = seconds;
  // Replaces what is not UTF-8 (a file name, say): the document is valid JSON whatever happens.
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

std::vector<std::string> PerformanceLines(const Answer& answer) {
  std::vector<std::string> lines;
  for (const auto& [stage, seconds] : Stages(answer)) {
    lines.push_back(fmt::format("[Performance] {}: {:.3f}", stage, seconds));
  }
  for (const UsedPicture& picture : answer.pictures) {
    const Patches& patches = *picture.patches;
    lines.push_back(fmt::format("{}: {}x{} used at {}x{}, {} image tokens", picture.name,
                                patches.original_size.width_px, patches.original_size.height_px,
                                patches.used_size.width_px, patches.used_size.height_px,
                                patches.image_tokens));
    if (patches.enhanced) {
      lines.push_back(
          fmt::format("{}: enhanced by {}", picture.name,
                      patches.enhanced->steps.empty()
                          ? "nothing, it needed nothing"
                          : fmt::format("{}", fmt::join(patches.enhanced->steps, ", "))));
    }
  }
  const Usage& usage = answer.finished.usage;
  const StageTimes& times = answer.finished.times;
  lines.push_back(fmt::format(
      "{} prompt tokens ({:.1f} a second), {} new tokens ({:.1f} a second), ended by {}",
      usage.prompt_tokens, PerSecond(usage.prompt_tokens, times.prefill), usage.completion_tokens,
      PerSecond(usage.completion_tokens, times.decode), FinishReasonName(answer.finished.reason)));
  return lines;
}

}  // namespace ocelli::cli
