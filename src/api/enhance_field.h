#ifndef OCELLI_API_ENHANCE_FIELD_H_
#define OCELLI_API_ENHANCE_FIELD_H_

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "picture/enhance.h"

namespace ocelli::api {

// What is asked of a picture that is enhanced to be read when nothing is asked: extract all visible
// text, line by line.
inline constexpr std::string_view kReadAllText = "请逐行提取图中所有可见文字";

// Reads the "enhance" of a picture that stands at `param`: true, false, null, or an object of
// steps: {"turn": 90, "page": false, "binarize": true}; steps that are not named keep their
// defaults. **Errors**: kInvalidArgument naming the step.
Result<std::optional<EnhanceOptions>> ParseEnhance(const nlohmann::ordered_json& value,
                                                   const std::string& param);

// Returns what an enhancement did: {"size": {"width", "height"}, "steps": ["deskew"], "blank",
// "to_original": [9 numbers, row by row]}.
nlohmann::ordered_json EnhancedJson(const EnhanceFacts& facts);

}  // namespace ocelli::api

#endif  // OCELLI_API_ENHANCE_FIELD_H_
