#include "api/models_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/quoted.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Returns the name without the owner before it.
std::string_view WithoutOwner(std::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

// The four standard fields, then what clients otherwise guess: without a word about pictures they
// take every model for one of text alone.
Json ModelObject(const ModelCard& model) {
  return Json{{"id", model.id},
              {"object", "model"},
              {"created", model.created},
              {"owned_by", "ocelli"},
              {"context_length", model.max_context_tokens},
              {"max_model_len", model.max_context_tokens},
              {"modalities", {{"input", {"text", "image"}}, {"output", {"text"}}}},
              {"capabilities",
               {{"vision", true},
                {"streaming", true},
                {"logprobs", true},
                {"tools", false},
                {"structured_outputs", false}}}};
}

}  // namespace

std::string ModelsListJson(const ModelCard& model) {
  return Json{{"object", "list"}, {"data", Json::array({ModelObject(model)})}}.dump();
}

Result<std::string> ModelJson(const ModelCard& model, std::string_view id) {
  OCELLI_RETURN_IF_ERROR(CheckModelName(id, model.id));
  return ModelObject(model).dump();
}

Status CheckModelName(std::string_view asked, std::string_view served) {
  if (std::ranges::equal(WithoutOwner(asked), WithoutOwner(served), {}, Lower, Lower)) return {};
  return Error{ErrorCode::kNotFound,
               fmt::format("the model {} is not served here; this server answers to {}",
                           Quoted(asked), Quoted(served)),
               "model"};
}

}  // namespace ocelli::api
