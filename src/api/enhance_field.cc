#include "api/enhance_field.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.h"
#include "base/quoted.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

struct Switch {
  std::string_view name;
  bool EnhanceOptions::*field;
};

constexpr Switch kSwitches[] = {
    {"page", &EnhanceOptions::page},         {"deskew", &EnhanceOptions::deskew},
    {"light", &EnhanceOptions::light},       {"denoise", &EnhanceOptions::denoise},
    {"contrast", &EnhanceOptions::contrast}, {"enlarge", &EnhanceOptions::enlarge},
    {"binarize", &EnhanceOptions::binarize}};

Error Invalid(const std::string& param, std::string message) {
  return Error{ErrorCode::kInvalidArgument, fmt::format("{}: {}", param, message), param};
}

Status ReadTurn(const Json& value, const std::string& param, EnhanceOptions& options) {
  const bool quarter =
      value.is_number_integer() && (value == 0 || value == 90 || value == 180 || value == 270);
  if (!quarter) {
    return Invalid(param, "'enhance.turn' must be 0, 90, 180 or 270: degrees clockwise");
  }
  options.turn = value.get<int>();
  return {};
}

Status ReadStep(const std::string& name, const Json& value, const std::string& param,
                EnhanceOptions& options) {
  if (value.is_null()) return {};
  if (name == "turn") return ReadTurn(value, param, options);
  for (const Switch& one : kSwitches) {
    if (one.name != name) continue;
    if (!value.is_boolean()) {
      return Invalid(param, fmt::format("'enhance.{}' is {}, it must be true or false", name,
                                        JsonTypeName(value)));
    }
    options.*one.field = value.get<bool>();
    return {};
  }
  return Invalid(param, fmt::format("'enhance' has no step {}; there are turn, page, deskew, "
                                    "light, denoise, contrast, enlarge and binarize",
                                    Quoted(name)));
}

}  // namespace

Result<std::optional<EnhanceOptions>> ParseEnhance(const Json& value, const std::string& param) {
  std::optional<EnhanceOptions> options;
  if (value.is_null() || value == false) return options;
  options.emplace();
  if (value == true) return options;
  if (!value.is_object()) {
    return Invalid(param, fmt::format("'enhance' is {}, it must be true, false or an object of "
                                      "steps",
                                      JsonTypeName(value)));
  }
  for (const auto& [name, step] : value.items()) {
    OCELLI_RETURN_IF_ERROR(ReadStep(name, step, param, *options));
  }
  return options;
}

Json EnhancedJson(const EnhanceFacts& facts) {
  return Json{{"size", {{"width", facts.size.width_px}, {"height", facts.size.height_px}}},
              {"steps", facts.steps},
              {"blank", facts.blank},
              {"to_original", facts.to_original.m}};
}

}  // namespace ocelli::api
