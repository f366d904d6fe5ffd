#ifndef OCELLI_API_REQUEST_DEFAULTS_H_
#define OCELLI_API_REQUEST_DEFAULTS_H_

#include <cstddef>
#include <string>

#include "engine/sampling_params.h"

namespace ocelli::api {

// What a request gets that names nothing, and what it may name.
struct RequestDefaults {
  std::string model_id;  // the name that this server answers to
  SamplingParams params;
  size_t vocab_size = 0;          // ids of logit_bias are below it; must be set
  size_t max_context_tokens = 0;  // larger bounds on the answer are clipped to it; must be set
  size_t max_pictures = 64;       // of one request
  bool thinking = false;          // the model is a Thinking variant
};

}  // namespace ocelli::api

#endif  // OCELLI_API_REQUEST_DEFAULTS_H_
