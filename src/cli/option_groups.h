#ifndef OCELLI_CLI_OPTION_GROUPS_H_
#define OCELLI_CLI_OPTION_GROUPS_H_

#include <cstdint>
#include <string>

#include "cli/ask_options.h"
#include "engine/engine_options.h"
#include "picture/processor_options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace ocelli::cli {

// Adds an option that takes a size such as 512M. **Units**: bytes.
void AddSize(CLI::App& command, const std::string& name, uint64_t& field, const std::string& help);

// Options that several commands share; each adds its group to `command`, which reads into
// `options`.
//
// --model, --pull, --load-format, --config, --threads, --huge-pages
void AddModelOptions(CLI::App& command, ModelOptions& options);
// --temperature, --top-k, --seed, ...: how an answer is written
void AddSamplingOptions(CLI::App& command, SamplingOptions& options);
// --max-side, --max-image-tokens, ...: what size a picture is used at
void AddPictureOptions(CLI::App& command, PictureOptions& options);
// --enhance, --turn, --enhance-steps: what is done to a picture before it is read
void AddEnhanceOptions(CLI::App& command, EnhanceChoice& choice);
// --show-reasoning: whether what a Thinking model reasons is printed
void AddShowReasoning(CLI::App& command, bool& show);
// --kv-type: how the KV cache keeps its numbers
void AddKvType(CLI::App& command, KvType& type);
// --kv-type, --kv-memory, --vision-cache, --max-queue, ...: how an engine for many uses the machine
void AddEngineOptions(CLI::App& command, EngineOptions& options);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_OPTION_GROUPS_H_
