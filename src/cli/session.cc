#include "cli/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "api/generation_call.h"
#include "base/aligned_buffer.h"
#include "base/cpu_features.h"
#include "base/huge_pages.h"
#include "base/log.h"
#include "checkpoint/dummy_weights.h"
#include "cli/byte_tokenizer.h"
#include "cli/checkpoint_summary.h"
#include "cli/model_location.h"
#include "cli/packed_cache.h"
#include "engine/event_queue.h"
#include "engine/qwen_runner.h"
#include "kernels/linear.h"
#include "kernels/targets.h"
#include "model/model.h"
#include "model/weight_loader.h"
#include "model/weight_visitor.h"
#include "picture/rgb_image.h"
#include "text/chat_template.h"

namespace ocelli::cli {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kDummySeed = 1;
constexpr size_t kPrefillChunkTokens = 256;
constexpr int kWarmUpSidePx = 64;
constexpr size_t kSmallModelBytes = size_t{256} << 20;

Result<std::shared_ptr<const Tokenizer>> OpenTokenizer(const fs::path& path) {
  OCELLI_ASSIGN_OR_RETURN(Tokenizer tokenizer, Tokenizer::FromFile(path));
  return std::make_shared<const Tokenizer>(std::move(tokenizer));
}

Status UseDirectory(const ModelDirectory& directory, SessionFiles& files) {
  files.config = directory.config;
  files.generation_config = directory.generation_config;
  files.processor = ProcessorOptionsOf(directory.preprocessor_config);
  files.thinking = directory.chat_template.opens_thinking;
  if (const std::string& difference = directory.chat_template.difference; !difference.empty()) {
    LogWarning("{}: the chat template {}; prompts are written as Qwen3-VL's own writes them",
               directory.path.string(), difference);
  }
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
    files.thinking = false;  // it has no tokens for that
  }
  return {};
}

Status OpenCheckpoint(const ModelOptions& options, SessionFiles& files) {
  if (!options.config.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "--config goes with --load-format dummy; a checkpoint has its own", "config"};
  }
  OCELLI_ASSIGN_OR_RETURN(const fs::path directory, LocateModel(options.model, options.pull));
  OCELLI_ASSIGN_OR_RETURN(Checkpoint checkpoint, Checkpoint::Open(directory));
  OCELLI_RETURN_IF_ERROR(checkpoint.CheckComplete());
  OCELLI_RETURN_IF_ERROR(UseDirectory(checkpoint.directory(), files));
  OCELLI_ASSIGN_OR_RETURN(files.tokenizer, OpenTokenizer(checkpoint.tokenizer_path()));
  files.checkpoint.emplace(std::move(checkpoint));
  return {};
}

// Every prompt of a Thinking variant would fail without its tokens; better to say so at once.
Status CheckThinkingTokens(const SessionFiles& files) {
  if (!files.thinking) return {};
  for (const std::string_view content : {kThink, kThinkEnd}) {
    if (files.tokenizer->ControlToken(content)) continue;
    return Error{ErrorCode::kUnsupported,
                 fmt::format("the chat template opens answers with {}, and the tokenizer has no "
                             "token {}: the files are not of one model",
                             kThink, content),
                 "model"};
  }
  return {};
}

HugePages HugePagesOf(const std::string& wanted) {
  if (wanted == "on") return HugePages::kOn;
  return wanted == "off" ? HugePages::kOff : HugePages::kSystem;
}

// Returns the tokens of a sequence at most.
size_t ContextTokens(const ModelConfig& config, const EngineOptions& options) {
  const size_t most = config.text_config.max_position_embeddings;
  return options.max_context_tokens == 0 ? most : std::min(most, options.max_context_tokens);
}

// Returns the tokens that the request may grow to: its prompt and its longest answer, within what
// the model was trained for.
size_t ContextTokens(const ModelConfig& config, const GenerateRequest& request) {
  const size_t longest = config.text_config.max_position_embeddings;
  const size_t prompt = std::min(longest, request.prompt_token_ids.size());
  return prompt + std::min(longest - prompt, request.params.max_new_tokens);
}

// Returns what the model will take. Weights that are not stored as bf16 are expected to stay
// float32: whether they are bf16 numbers all the same is seen only when they are read.
Result<ModelMemory> MemoryOf(const SessionFiles& files, const EngineOptions& options,
                             int num_threads) {
  ModelMemory memory = Estimate(files.config, PlanModel(options, files.config), num_threads);
  if (files.checkpoint) {
    OCELLI_ASSIGN_OR_RETURN(const CheckpointSummary summary,
                            Summarize(*files.checkpoint, options.weight_format));
    memory.weight_bytes = summary.weight_bytes;
  }
  return memory;
}

Result<MemoryPlan> Plan(const SessionFiles& files, int num_threads, EngineOptions& options) {
  OCELLI_ASSIGN_OR_RETURN(const ModelMemory memory, MemoryOf(files, options, num_threads));
  return PlanMemory(DetectMemoryLimits(), memory, ContextTokens(files.config, options), options);
}

// Returns the path of the packed file to use; "" for none: converting a small model takes no longer
// than finding its file.
fs::path PackedPath(const SessionFiles& files) {
  if (files.packed == "off") return {};
  if (files.packed != "auto") return files.packed;
  if (EstimateWeightBytes(files.config, files.weight_format) < kSmallModelBytes) return {};
  const Result<PackedCache> cache = PackedCache::Open();
  return cache.ok() ? cache->PathOf(*files.checkpoint, files.weight_format) : fs::path();
}

Result<ModelWeights> LoadModelWeights(SessionFiles& files, ThreadPool& pool,
                                      const LoadProgress& progress) {
  if (!files.checkpoint) {
    DummyWeights dummy(files.config, kDummySeed, pool);
    return LoadWeights(dummy, files.weight_format, pool, progress);
  }
  Checkpoint& checkpoint = *files.checkpoint;
  if (const fs::path path = PackedPath(files); !path.empty()) {
    Result<ModelWeights> packed =
        WeightsPackedAt(path, checkpoint, files.weight_format, pool, progress);
    if (packed.ok()) files.packed_path = path;
    if (packed.ok() && !files.keep_mapped && files.huge_pages == "on") {
      CopyMatrices(files.config, *packed, pool);
    }
    if (packed.ok() || files.packed != "auto") return packed;
    LogWarning("{}; the weights are converted at every start", packed.error().message);
  }
  return LoadWeights(checkpoint, files.weight_format, pool, progress);
}

// Returns a request that goes through every part of the model once.
Result<GenerateRequest> WarmUpRequest(const ProcessorOptions& processor,
                                      const Tokenizer& tokenizer) {
  RgbImage image{kWarmUpSidePx, kWarmUpSidePx, {}};
  image.pixels.assign(static_cast<size_t>(image.height_px) * image.row_bytes(), 255);
  ThreadPool pool(1);  // the session's is busy with the engine
  OCELLI_ASSIGN_OR_RETURN(Patches patches, PreparePicture(image, processor, {}, pool));
  api::GenerationCall call;
  ChatMessage message;
  message.role = "user";
  message.content = {ContentPart::Image(), ContentPart::Text("?")};
  call.conversation.messages = {message};
  call.params.max_new_tokens = 2;
  call.params.temperature = 0;
  return api::MakeGenerateRequest(call, {std::make_shared<const Patches>(std::move(patches))},
                                  tokenizer);
}

}  // namespace

Result<SessionFiles> OpenSessionFiles(const ModelOptions& options) {
  SessionFiles files;
  files.threads = DetectThreadLimits();
  if (options.threads > 0) files.threads.SetByHand(options.threads);
  files.huge_pages = options.huge_pages;
  files.weight_format = WeightFormatNamed(options.weights);
  files.packed = options.packed;
  SetHugePages(HugePagesOf(options.huge_pages));
  OCELLI_RETURN_IF_ERROR(options.load_format == "dummy" ? OpenDummy(options, files)
                                                        : OpenCheckpoint(options, files));
  OCELLI_RETURN_IF_ERROR(CheckThinkingTokens(files));
  return files;
}

EngineOptions OptionsForOne(const SessionFiles& files, const GenerateRequest& request,
                            KvType kv_type) {
  EngineOptions options;
  options.kv_type = kv_type;
  options.max_queue = 1;
  options.max_sequences = 1;
  options.max_context_tokens = ContextTokens(files.config, request);
  options.prefill_chunk_tokens = kPrefillChunkTokens;
  options.prefix_cache = false;  // one question: nothing will come back
  options.max_image_tokens = 0;
  uint64_t image_tokens = 0;
  for (const auto& picture : request.pictures) {
    options.max_image_tokens = std::max(options.max_image_tokens, picture->image_tokens);
    image_tokens += picture->image_tokens;
  }
  const ModelMemory memory = Estimate(files.config, PlanModel(options, files.config), 1);
  options.kv_memory_bytes =
      (KvLayout::BlocksFor(options.max_context_tokens) + 1) * memory.kv_block_bytes;
  options.vision_cache_bytes = image_tokens * memory.feature_bytes_per_token;
  return options;
}

Result<std::unique_ptr<Model>> LoadModel(SessionFiles& files, EngineOptions options,
                                         ThreadPool& pool) {
  options.weight_format = files.weight_format;
  OCELLI_RETURN_IF_ERROR(Plan(files, pool.num_threads(), options));
  OCELLI_ASSIGN_OR_RETURN(ModelWeights weights, LoadModelWeights(files, pool, {}));
  return Model::Of(files.config, std::move(weights), PlanModel(options, files.config), pool);
}

Session::Session(const SessionFiles& files, EngineOptions options, MemoryPlan memory,
                 std::unique_ptr<Engine> engine)
    : threads_(files.threads),
      huge_pages_(files.huge_pages),
      packed_path_(files.packed_path),
      processor_(files.processor),
      tokenizer_(files.tokenizer),
      model_context_tokens_(ContextTokens(files.config, options)),
      options_(options),
      memory_(memory),
      engine_(std::move(engine)) {}

Result<std::unique_ptr<Session>> Session::Load(SessionFiles& files, EngineOptions options,
                                               ThreadPool& pool, const LoadProgress& progress) {
  options.weight_format = files.weight_format;
  OCELLI_ASSIGN_OR_RETURN(const MemoryPlan memory, Plan(files, pool.num_threads(), options));
  OCELLI_ASSIGN_OR_RETURN(ModelWeights weights, LoadModelWeights(files, pool, progress));
  auto runner = QwenRunner::Make(files.config, std::move(weights),
                                 files.generation_config.eos_token_ids, options, pool);
  OCELLI_ASSIGN_OR_RETURN(auto engine, Engine::Create(options, std::move(runner), files.tokenizer));
  return std::unique_ptr<Session>(new Session(files, options, memory, std::move(engine)));
}

Status Session::WarmUp() {
  OCELLI_ASSIGN_OR_RETURN(GenerateRequest request, WarmUpRequest(processor_, *tokenizer_));
  const std::shared_ptr<EventQueue> events = EventQueue::Make();
  const auto id = engine_->Submit(std::move(request), events->Sink());
  // Limits so tight that there is nothing to warm up for are no failure.
  if (!id.ok() && id.error().code == ErrorCode::kTooLarge) return {};
  OCELLI_RETURN_IF_ERROR(id);
  while (true) {
    const Event event = events->Pop();
    const auto* finished = std::get_if<FinishedEvent>(&event);
    if (finished == nullptr) continue;
    if (finished->error) return *finished->error;
    return {};
  }
}

size_t Session::max_context_tokens() const {
  return std::min(model_context_tokens_, memory_.kv_tokens);
}

std::vector<std::string> Session::StartLines() const {
  return {
      fmt::format("{}; {}; kernels {}; {}", CpuModelName(), DescribeCpuFeatures(GetCpuFeatures()),
                  TargetName(ActiveTarget()), threads_.Describe()),
      fmt::format("memory: {}; weights kept as {}{}, KV cache as {}", memory_.Describe(),
                  WeightFormatName(options_.weight_format),
                  packed_path_.empty() ? "" : fmt::format(" in {}", packed_path_.string()),
                  KvTypeName(options_.kv_type)),
      fmt::format("huge pages: {} wanted, {}", huge_pages_, ReadHugePages().Describe())};
}

}  // namespace ocelli::cli
