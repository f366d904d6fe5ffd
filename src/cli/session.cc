#include "cli/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/cpu_features.h"
#include "checkpoint/dummy_weights.h"
#include "cli/byte_tokenizer.h"
#include "cli/model_location.h"
#include "engine/qwen_runner.h"
#include "kernels/targets.h"
#include "model/model.h"

namespace ocelli::cli {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kDummySeed = 1;
constexpr size_t kPrefillChunkTokens = 256;

Result<std::shared_ptr<const Tokenizer>> OpenTokenizer(const fs::path& path) {
  OCELLI_ASSIGN_OR_RETURN(Tokenizer tokenizer, Tokenizer::FromFile(path));
  return std::make_shared<const Tokenizer>(std::move(tokenizer));
}

Status UseDirectory(const ModelDirectory& directory, SessionFiles& files) {
  files.config = directory.config;
  files.generation_config = directory.generation_config;
  files.processor = ProcessorOptionsOf(directory.preprocessor_config);
  const Status usable = CheckProcessorOptions(files.processor);
  if (usable.ok()) return {};
  return usable.error().WithContext((directory.path / "preprocessor_config.json").string());
}

Status OpenDummy(const ModelOptions& options, SessionFiles& files) {
  if (options.config.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "--load-format dummy needs --config DIR, whose config.json it imitates", "config"};
  }
  fs::path path = options.config;
  if (path.filename() == "config.json") path = path.parent_path();
  OCELLI_ASSIGN_OR_RETURN(const ModelDirectory directory, ModelDirectory::Open(path));
  OCELLI_RETURN_IF_ERROR(UseDirectory(directory, files));
  std::error_code ignored;
  if (fs::exists(directory.tokenizer_path, ignored)) {
    OCELLI_ASSIGN_OR_RETURN(files.tokenizer, OpenTokenizer(directory.tokenizer_path));
  } else {
    OCELLI_ASSIGN_OR_RETURN(files.tokenizer, MakeByteTokenizer(files.config));
  }
  return {};
}

Status OpenCheckpoint(const ModelOptions& options, SessionFiles& files) {
  if (!options.config.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "--config goes with --load-format dummy; a checkpoint has its own", "config"};
  }
  OCELLI_ASSIGN_OR_RETURN(const fs::path directory, LocateModel(options.model));
  OCELLI_ASSIGN_OR_RETURN(Checkpoint checkpoint, Checkpoint::Open(directory));
  OCELLI_RETURN_IF_ERROR(checkpoint.CheckComplete());
  OCELLI_RETURN_IF_ERROR(UseDirectory(checkpoint.directory(), files));
  OCELLI_ASSIGN_OR_RETURN(files.tokenizer, OpenTokenizer(checkpoint.tokenizer_path()));
  files.checkpoint.emplace(std::move(checkpoint));
  return {};
}

size_t MaxImageTokens(const GenerateRequest& request) {
  size_t tokens = 0;
  for (const auto& picture : request.pictures) tokens = std::max(tokens, picture->image_tokens);
  return tokens;
}

uint64_t FeatureBytes(const GenerateRequest& request, const ModelMemory& memory) {
  uint64_t tokens = 0;
  for (const auto& picture : request.pictures) tokens += picture->image_tokens;
  return tokens * memory.feature_bytes_per_token;
}

// Returns the tokens that the request may grow to: its prompt and its longest answer, within what
// the model was trained for.
size_t ContextTokens(const SessionFiles& files, const GenerateRequest& request) {
  const size_t longest = files.config.text_config.max_position_embeddings;
  const size_t prompt = std::min(longest, request.prompt_token_ids.size());
  return prompt + std::min(longest - prompt, request.params.max_new_tokens);
}

Status CheckFits(uint64_t needed) {
  const MemoryLimits limits = DetectMemoryLimits();
  if (needed <= limits.UsableBytes()) return {};
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  return Error{ErrorCode::kResourceExhausted,
               fmt::format("this needs {:.2f} GiB of memory and {:.2f} GiB can be had; free some, "
                           "raise the memory limit, or ask for less with --max-image-tokens and "
                           "--max-new-tokens",
                           static_cast<double>(needed) / kGiB,
                           static_cast<double>(limits.UsableBytes()) / kGiB),
               "memory"};
}

Result<std::unique_ptr<ModelRunner>> LoadRunner(SessionFiles& files, const EngineOptions& options,
                                                ThreadPool& pool) {
  const std::vector<TokenId>& eos = files.generation_config.eos_token_ids;
  if (files.checkpoint) return QwenRunner::Load(*files.checkpoint, eos, options, pool);
  DummyWeights dummy(files.config, kDummySeed, pool);
  return QwenRunner::Load(dummy, eos, options, pool);
}

// Returns the options of an engine that answers `request` alone.
EngineOptions PlanFor(const SessionFiles& files, const GenerateRequest& request) {
  EngineOptions options;
  options.max_queue = 1;
  options.max_sequences = 1;
  options.max_context_tokens = ContextTokens(files, request);
  options.max_image_tokens = MaxImageTokens(request);
  options.prefill_chunk_tokens = kPrefillChunkTokens;
  options.prefix_cache = false;  // one question: nothing will come back
  return options;
}

}  // namespace

Result<SessionFiles> OpenSessionFiles(const ModelOptions& options) {
  SessionFiles files;
  files.threads = DetectThreadLimits();
  if (options.threads > 0) files.threads.threads = options.threads;
  SetHugePages(options.huge_pages);
  OCELLI_RETURN_IF_ERROR(options.load_format == "dummy" ? OpenDummy(options, files)
                                                        : OpenCheckpoint(options, files));
  return files;
}

std::string DescribeMachine(const SessionFiles& files) {
  return fmt::format("{}; {}; kernels {}; {}", CpuModelName(),
                     DescribeCpuFeatures(GetCpuFeatures()), TargetName(ActiveTarget()),
                     files.threads.Describe());
}

Result<std::unique_ptr<Session>> Session::Load(SessionFiles& files, const GenerateRequest& request,
                                               ThreadPool& pool) {
  EngineOptions options = PlanFor(files, request);
  const ModelMemory memory =
      Estimate(files.config, PlanModel(options, files.config), pool.num_threads());
  options.kv_memory_bytes =
      (KvLayout::BlocksFor(options.max_context_tokens) + 1) * memory.kv_block_bytes;
  options.vision_cache_bytes = FeatureBytes(request, memory);
  OCELLI_RETURN_IF_ERROR(
      CheckFits(memory.FixedBytes() + options.kv_memory_bytes + options.vision_cache_bytes));
  OCELLI_ASSIGN_OR_RETURN(auto runner, LoadRunner(files, options, pool));
  OCELLI_ASSIGN_OR_RETURN(auto engine, Engine::Create(options, std::move(runner), files.tokenizer));
  return std::unique_ptr<Session>(new Session(std::move(engine)));
}

}  // namespace ocelli::cli
