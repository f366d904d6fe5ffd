#ifndef OCELLI_CLI_ASK_OPTIONS_H_
#define OCELLI_CLI_ASK_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/generation_config.h"
#include "engine/sampling_params.h"
#include "kernels/kv_block.h"
#include "picture/enhance_options.h"
#include "picture/processor_options.h"

namespace ocelli::cli {

// Which model to run and on how much of the machine.
struct ModelOptions {
  std::string model;              // a folder or a name such as "org/name"; empty: see LocateModel
  bool pull = false;              // fetch a model that is named and not here
  std::string load_format;        // "auto", or "dummy": random weights of the sizes in `config`
  std::string config;             // a folder or config.json, for "dummy"
  int threads = 0;                // 0: what affinity and cgroup quota allow
  std::string huge_pages = "on";  // "on", "off", or "system": what the system is set to
  std::string packed = "auto";    // "off", the path of a packed file, or "auto": PackedCache
  std::string weights = "auto";   // "bf16", "packed12", "float32", or "auto": the fastest here
};

// Sampling controls that were given; the others keep the model's own defaults.
struct SamplingOptions {
  std::optional<size_t> max_new_tokens;
  std::optional<float> temperature;
  std::optional<uint32_t> top_k;
  std::optional<float> top_p;
  std::optional<float> min_p;
  std::optional<float> repetition_penalty;
  std::optional<float> presence_penalty;
  std::optional<float> frequency_penalty;
  std::optional<uint64_t> seed;
  std::vector<std::string> stop;
  bool ignore_eos = false;
};

// Whether and how pictures are enhanced before they are read.
struct EnhanceChoice {
  bool on = false;
  int turn = 0;
  std::vector<std::string> steps;  // empty: the usual ones

  // Returns the options, or nothing when no enhancement was asked for.
  std::optional<EnhanceOptions> Options() const;
};

// Everything that `ocelli ask` can be told.
struct AskOptions {
  ModelOptions model;
  SamplingOptions sampling;
  PictureOptions picture;
  EnhanceChoice enhance;
  std::string save_enhanced;           // file for the enhanced picture; empty: none
  std::vector<std::string> arguments;  // pictures, then the question
  std::string messages;                // file with a JSON list of messages; "-": standard input
  KvType kv_type = KvType::kFloat32;
  bool show_reasoning = false;
  bool json = false;
  bool verbose = false;
};

// Returns the defaults of `config` with what was given in their place; those of a model that
// reasons first (`thinking`) leave room for that.
SamplingParams ApplyTo(const GenerationConfig& config, const SamplingOptions& options,
                       bool thinking);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_ASK_OPTIONS_H_
