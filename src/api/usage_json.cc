#include "api/usage_json.h"

#include <nlohmann/json.hpp>

#include "api/enhance_field.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

Json SizeJson(SizePx size) { return Json{{"width", size.width_px}, {"height", size.height_px}}; }

// What both shapes say about the prompt. Nothing is ever paid for writing to a cache.
Json InputDetails(const Usage& usage, std::span<const PictureUse> pictures) {
  return Json{{"cached_tokens", usage.cached_tokens},
              {"cache_write_tokens", 0},
              {"image_tokens", usage.image_tokens},
              {"text_tokens", usage.prompt_tokens - usage.image_tokens},
              {"audio_tokens", 0},
              {"pictures", PicturesJson(pictures)}};
}

}  // namespace

Json PicturesJson(std::span<const PictureUse> pictures) {
  Json list = Json::array();
  for (const PictureUse& picture : pictures) {
    list.push_back(Json{{"original_size", SizeJson(picture.original_size)},
                        {"used_size", SizeJson(picture.used_size)},
                        {"image_tokens", picture.image_tokens}});
    if (picture.enhanced) list.back()["enhanced"] = EnhancedJson(*picture.enhanced);
  }
  return list;
}

Json ChatUsageJson(const Usage& usage, std::span<const PictureUse> pictures) {
  return Json{{"prompt_tokens", usage.prompt_tokens},
              {"completion_tokens", usage.completion_tokens},
              {"total_tokens", usage.prompt_tokens + usage.completion_tokens},
              {"prompt_tokens_details", InputDetails(usage, pictures)},
              {"completion_tokens_details",
               {{"reasoning_tokens", usage.reasoning_tokens},
                {"text_tokens", usage.completion_tokens - usage.reasoning_tokens},
                {"audio_tokens", 0},
                {"accepted_prediction_tokens", 0},
                {"rejected_prediction_tokens", 0}}}};
}

Json ResponsesUsageJson(const Usage& usage, std::span<const PictureUse> pictures) {
  return Json{{"input_tokens", usage.prompt_tokens},
              {"input_tokens_details", InputDetails(usage, pictures)},
              {"output_tokens", usage.completion_tokens},
              {"output_tokens_details", Json{{"reasoning_tokens", usage.reasoning_tokens}}},
              {"total_tokens", usage.prompt_tokens + usage.completion_tokens}};
}

Json TimesJson(const StageTimes& times) {
  return Json{{"queued", times.queued},           {"encoding", times.encoding},
              {"prefill", times.prefill},         {"decode", times.decode},
              {"first_token", times.first_token}, {"total", times.total}};
}

}  // namespace ocelli::api
