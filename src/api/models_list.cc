#include "api/models_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/json_number.h"
#include "api/picture_budget.h"
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

// What a request gets that names nothing. A page shows it, and sends only what differs.
Json SamplingObject(const SamplingParams& params) {
  return Json{{"temperature", ShortestDouble(params.temperature)},
              {"top_p", ShortestDouble(params.top_p)},
              {"top_k", params.top_k},
              {"min_p", ShortestDouble(params.min_p)},
              {"repetition_penalty", ShortestDouble(params.repetition_penalty)},
              {"presence_penalty", ShortestDouble(params.presence_penalty)},
              {"frequency_penalty", ShortestDouble(params.frequency_penalty)},
              {"max_tokens", params.max_new_tokens}};
}

// Enough to foretell the image tokens of a picture, and to refuse or shrink one before it travels.
Json PicturesObject(const ModelCard& model) {
  const auto side = static_cast<uint64_t>(model.processor.factor());
  const PictureOptions budget = PictureBudget(PictureReference(), model.default_picture);
  const uint64_t min_pixels =
      budget.min_pixels != 0 ? budget.min_pixels : model.processor.min_pixels;
  uint64_t max_pixels = model.processor.max_pixels;
  if (budget.max_pixels != 0) max_pixels = std::min(max_pixels, budget.max_pixels);
  uint64_t max_tokens = max_pixels / (side * side);
  if (budget.max_image_tokens != 0) max_tokens = std::min(max_tokens, budget.max_image_tokens);
  return Json{{"token_side", side},
              {"min_pixels", std::min(min_pixels, max_pixels)},
              {"max_pixels", max_pixels},
              {"default_max_image_tokens", max_tokens},
              {"max_file_bytes", model.max_file_bytes},
              {"max_source_pixels", model.max_source_pixels},
              {"max_pictures", model.max_pictures}};
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
              {"max_body_bytes", model.max_body_bytes},
              {"modalities", {{"input", {"text", "image"}}, {"output", {"text"}}}},
              {"capabilities",
               {{"vision", true},
                {"streaming", true},
                {"logprobs", true},
                {"tools", false},
                {"structured_outputs", false},
                {"reasoning", model.reasoning}}},
              {"default_sampling", SamplingObject(model.default_params)},
              {"pictures", PicturesObject(model)}};
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
