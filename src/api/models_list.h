#ifndef OCELLI_API_MODELS_LIST_H_
#define OCELLI_API_MODELS_LIST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "engine/sampling_params.h"
#include "picture/processor_options.h"

namespace ocelli::api {

// What GET /v1/models says about a model.
struct ModelCard {
  std::string id;
  int64_t created = 0;  // Unix time, seconds
  size_t max_context_tokens = 0;
  SamplingParams default_params;  // of requests that name nothing
  ProcessorOptions processor;
  PictureOptions default_picture;  // of pictures that name nothing
  size_t max_body_bytes = 0;       // of one request, its pictures as base64
  size_t max_file_bytes = 0;       // of one encoded picture
  uint64_t max_source_pixels = 0;  // that its header may declare
  size_t max_pictures = 0;         // of one request
  bool reasoning = false;          // answers come with reasoning
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
