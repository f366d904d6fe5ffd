#ifndef OCELLI_API_MODELS_LIST_H_
#define OCELLI_API_MODELS_LIST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace ocelli::api {

// What GET /v1/models says about a model.
struct ModelCard {
  std::string id;
  int64_t created = 0;  // Unix time, seconds
  size_t max_context_tokens = 0;
};

// Returns the body of GET /v1/models.
std::string ModelsListJson(const ModelCard& model);

// Returns the body of GET /v1/models/{id}. **Errors**: as CheckModelName.
Result<std::string> ModelJson(const ModelCard& model, std::string_view id);

// Checks the name of a model in a request: the served id, with or without an owner before it
// ("Qwen/" ...), in any case. **Errors**: kNotFound, param "model".
Status CheckModelName(std::string_view asked, std::string_view served);

}  // namespace ocelli::api

#endif  // OCELLI_API_MODELS_LIST_H_
