#ifndef OCELLI_CLI_SESSION_H_
#define OCELLI_CLI_SESSION_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/machine_limits.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/generation_config.h"
#include "checkpoint/model_config.h"
#include "cli/ask_options.h"
#include "engine/engine.h"
#include "engine/engine_options.h"
#include "engine/memory_budget.h"
#include "engine/request.h"
#include "model/model.h"
#include "model/weight_loader.h"
#include "parallel/thread_pool.h"
#include "picture/processor_options.h"
#include "text/tokenizer.h"

namespace ocelli::cli {

// All of a model but its weights, checked and ready: what a prompt is made with.
struct SessionFiles {
  std::optional<Checkpoint> checkpoint;  // none: random weights
  ModelConfig config;
  GenerationConfig generation_config;
  ProcessorOptions processor;
  std::shared_ptr<const Tokenizer> tokenizer;
  bool thinking = false;  // a Thinking variant: answers begin with reasoning
  ThreadLimits threads;
  std::string huge_pages;                            // the switch, as given
  WeightFormat weight_format = WeightFormat::kBf16;  // of matrices whose numbers all are bf16
  std::string packed;                                // ModelOptions::packed
  std::filesystem::path packed_path;                 // the file that the weights came from, if any
  // Whether they stay where that file is mapped: for who is done before a copy in huge pages, which
  // are read faster, has paid for itself.
  bool keep_mapped = false;
};

// Opens the model that `options` name; every check that needs no weights is done here.
// **Errors**: those of the files, in under a second.
Result<SessionFiles> OpenSessionFiles(const ModelOptions& options);

// Returns the options of an engine that answers `request` and nothing else: memory for it alone.
EngineOptions OptionsForOne(const SessionFiles& files, const GenerateRequest& request,
                            KvType kv_type);

// Loads the model of `files` as an engine of `options` would have it, for who runs its passes by
// himself. **Errors**: as Session::Load. **Threads**: uses `pool`, which must outlive the model.
Result<std::unique_ptr<Model>> LoadModel(SessionFiles& files, EngineOptions options,
                                         ThreadPool& pool);

// A loaded model behind an engine, for one request or for many.
class Session {
 public:
  // Plans the memory of an engine of `options` (see PlanMemory), loads the weights and starts the
  // engine. `pool` must outlive the session; the engine thread is its only user until then.
  // **Errors**: kResourceExhausted when it would not fit, before anything is loaded.
  static Result<std::unique_ptr<Session>> Load(SessionFiles& files, EngineOptions options,
                                               ThreadPool& pool, const LoadProgress& progress = {});

  // Answers a short question about a small picture, so that the first request of a user finds
  // everything in place. **Errors**: that answer's.
  Status WarmUp();

  Engine& engine() { return *engine_; }
  // The options that the engine runs with, planned sizes filled in.
  const EngineOptions& options() const { return options_; }
  // Tokens of a prompt and its answer at most: the context, or what the KV memory holds.
  size_t max_context_tokens() const;

  // Returns the lines that say what this runs on: CPU, kernels and threads and why; memory;
  // huge pages, wanted and obtained up to now.
  std::vector<std::string> StartLines() const;

 private:
  Session(const SessionFiles& files, EngineOptions options, MemoryPlan memory,
          std::unique_ptr<Engine> engine);

  ThreadLimits threads_;
  std::string huge_pages_;
  std::filesystem::path packed_path_;
  ProcessorOptions processor_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  size_t model_context_tokens_;
  EngineOptions options_;
  MemoryPlan memory_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_SESSION_H_
