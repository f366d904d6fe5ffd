#ifndef OCELLI_SERVER_SERVICE_H_
#define OCELLI_SERVER_SERVICE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/engine.h"
#include "engine/sampling_params.h"
#include "picture/decode_limits.h"
#include "picture/processor_options.h"
#include "text/tokenizer.h"

namespace ocelli::server {

// A model that is loaded, warmed up and ready to answer, as the routes see it.
struct Service {
  Engine* engine = nullptr;  // outlives the server
  std::shared_ptr<const Tokenizer> tokenizer;
  ProcessorOptions processor;
  DecodeLimits decode_limits;
  SamplingParams default_params;   // of requests that name nothing
  PictureOptions default_picture;  // likewise
  std::string model_id;            // "Qwen3-VL-2B-Instruct"
  std::string system_fingerprint;  // of weights, build and numeric mode
  int64_t created = 0;             // Unix time of the weights, seconds
  bool thinking = false;           // a Thinking variant: answers begin with reasoning
  size_t max_context_tokens = 0;
  size_t vocab_size = 0;
  size_t max_queue = 64;  // the engine's: a request that cannot wait is refused before its pictures
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_SERVICE_H_
