#ifndef OCELLI_API_USAGE_JSON_H_
#define OCELLI_API_USAGE_JSON_H_

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "api/reply.h"
#include "engine/request.h"

namespace ocelli::api {

// Returns "usage" of a chat completion.
nlohmann::ordered_json ChatUsageJson(const Usage& usage, std::span<const PictureUse> pictures);

// Returns "usage" of a response object.
nlohmann::ordered_json ResponsesUsageJson(const Usage& usage, std::span<const PictureUse> pictures);

// Returns how each picture was used: [{"original_size": {"width", "height"}, "used_size",
// "image_tokens"}], in the order of the prompt, with "enhanced" (see EnhancedJson) where asked for.
nlohmann::ordered_json PicturesJson(std::span<const PictureUse> pictures);

// Returns where the time went, in seconds.
nlohmann::ordered_json TimesJson(const StageTimes& times);

}  // namespace ocelli::api

#endif  // OCELLI_API_USAGE_JSON_H_
