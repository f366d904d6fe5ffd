#ifndef OCELLI_CLI_SESSION_H_
#define OCELLI_CLI_SESSION_H_

#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/machine_limits.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/generation_config.h"
#include "checkpoint/model_config.h"
#include "cli/ask_options.h"
#include "engine/engine.h"
#include "engine/request.h"
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
  ThreadLimits threads;
};

// Opens the model that `options` name; every check that needs no weights is done here.
// **Errors**: those of the files, in under a second.
Result<SessionFiles> OpenSessionFiles(const ModelOptions& options);

// Returns the line that says what this runs on: CPU, its features, threads and why.
std::string DescribeMachine(const SessionFiles& files);

// A loaded model behind an engine.
class Session {
 public:
  // Loads the weights and plans memory for `request` alone. `pool` must outlive the session.
  // **Errors**: kResourceExhausted when it would not fit, before anything is loaded.
  static Result<std::unique_ptr<Session>> Load(SessionFiles& files, const GenerateRequest& request,
                                               ThreadPool& pool);

  Engine& engine() { return *engine_; }

 private:
  explicit Session(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

  std::unique_ptr<Engine> engine_;
};

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_SESSION_H_
