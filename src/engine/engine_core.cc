#include "engine/engine_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/log.h"

namespace ocelli {
namespace {

Answer& AnswerOf(Sequence& sequence) { return static_cast<Answer&>(sequence); }

}  // namespace

EngineCore::EngineCore(const EngineOptions& options, std::unique_ptr<ModelRunner> runner,
                       const Tokenizer& tokenizer, Clock clock)
    : options_(options),
      runner_(std::move(runner)),
      tokenizer_(tokenizer),
      clock_(std::move(clock)),
      plan_(MakeRunnerPlan(options, runner_->traits().kv_block_bytes)),
      blocks_(plan_.num_kv_blocks, options.prefix_cache),
      scheduler_(options, blocks_, *runner_),
      vision_(*runner_, options.vision_cache_bytes),
      pacer_(options),
      sampler_(runner_->traits().vocab_size) {
  runner_->Plan(plan_);
  segments_.reserve(options.max_sequences);
}

Result<AcceptedRequest> EngineCore::Check(GenerateRequest request) const {
  const ModelTraits& traits = runner_->traits();
  OCELLI_RETURN_IF_ERROR(request.params.Validate(traits.vocab_size));
  AcceptedRequest accepted;
  OCELLI_ASSIGN_OR_RETURN(accepted.prompt, MakePromptContent(request, traits));
  const size_t prompt_tokens = accepted.prompt->token_ids.size();
  // The last token of an answer is never computed, so it needs no KV.
  const size_t memory_tokens = blocks_.num_blocks() * kKvBlockTokens + 1;
  const size_t limit = std::min(traits.max_context_tokens, memory_tokens);
  if (prompt_tokens >= limit) {
    return Error{
        ErrorCode::kTooLarge,
        fmt::format("the prompt has {} tokens and there is room for {} ({}): shorten it or "
                    "use smaller pictures",
                    prompt_tokens, limit - 1,
                    memory_tokens < traits.max_context_tokens ? "KV memory" : "context"),
        "prompt"};
  }
  for (const PictureRun& run : accepted.prompt->runs) {
    const uint64_t size_bytes = (run.end - run.begin) * traits.image_token_bytes;
    if (size_bytes <= options_.vision_cache_bytes) continue;
    return Error{ErrorCode::kTooLarge,
                 fmt::format("a picture of {} image tokens takes {} bytes once encoded and the "
                             "vision cache has {}: ask for a smaller one or a larger cache",
                             run.end - run.begin, size_bytes, options_.vision_cache_bytes),
                 "pictures"};
  }
  accepted.max_tokens =
      prompt_tokens + std::min(request.params.max_new_tokens, limit - prompt_tokens);
  accepted.request = std::move(request);
  return accepted;
}

void EngineCore::Add(AcceptedRequest accepted) {
  auto request =
      std::make_unique<LiveRequest>(std::move(accepted), tokenizer_, options_.max_draft_tokens);
  for (const auto& answer : request->answers()) scheduler_.Add(*answer);
  ++stats_.requests_accepted;
  stats_.prompt_tokens += request->usage().prompt_tokens;
  const RequestId id = request->id();
  requests_.emplace(id, std::move(request));
  SendQueuePositions();
}

void EngineCore::Cancel(RequestId id) {
  const auto found = requests_.find(id);
  if (found != requests_.end()) {
    FinishRequest(*found->second, FinishReason::kCancelled, std::nullopt);
  }
}

void EngineCore::CancelAll() {
  while (!requests_.empty()) Cancel(requests_.begin()->first);
}

bool EngineCore::Step() {
  Begin();
  return Compute();
}

void EngineCore::Begin() {
  EndExpired();
  Admit();
}

bool EngineCore::Compute() {
  if (idle()) return false;
  ++stats_.steps;
  stats_.vision_cache_hits += vision_.Hand(scheduler_.running());
  const bool encoded = EncodeStep();
  const bool computed = ForwardStep();
  return encoded || computed;
}

void EngineCore::EndExpired() {
  const TimePoint now = clock_();
  for (auto next = requests_.begin(); next != requests_.end();) {
    LiveRequest& request = *(next++)->second;
    if (request.HasExpired(now)) FinishRequest(request, FinishReason::kDeadline, std::nullopt);
  }
}

void EngineCore::Admit() {
  const std::span<Sequence* const> started = scheduler_.Admit();
  if (started.empty()) return;
  const TimePoint now = clock_();
  for (Sequence* sequence : started) {
    Answer& answer = AnswerOf(*sequence);
    if (answer.choice() == 0 && !answer.started) stats_.cached_tokens += answer.num_computed;
    answer.request().Started(answer, now);
  }
  SendQueuePositions();
}

void EngineCore::SendQueuePositions() {
  size_t position = 0;
  for (const auto& [id, request] : requests_) {
    if (request->IsQueued()) request->SendQueued(position++);
  }
}

size_t EngineCore::num_queued() const {
  return static_cast<size_t>(
      std::count_if(requests_.begin(), requests_.end(),
                    [](const auto& request) { return request.second->IsQueued(); }));
}

bool EngineCore::EncodeStep() {
  const TimePoint begin = clock_();
  const auto progress = vision_.Step(scheduler_.running(), scheduler_.waiting());
  if (!progress) return false;
  const double seconds = Seconds(begin, clock_());
  stats_.encode_seconds += seconds;
  const LiveRequest* last = nullptr;  // the answers of one request are neighbours
  for (Sequence* sequence : scheduler_.running()) {
    LiveRequest& request = AnswerOf(*sequence).request();
    if (&request == last || !sequence->AtPicture()) continue;
    if (sequence->NextPicture()->patches->key != progress->key) continue;
    last = &request;
    request.AddEncoding(seconds);
    request.SendEncoding(*sequence->NextPicture(), progress->done_steps,
                         runner_->traits().num_encoder_steps);
  }
  if (progress->finished) CountEncoded();
  return true;
}

// Hands out the picture just encoded: whoever came first has paid, for the others it is a hit.
void EngineCore::CountEncoded() {
  ++stats_.pictures_encoded;
  const auto running = scheduler_.running();
  const auto payer = std::find_if(running.begin(), running.end(),
                                  [](const Sequence* sequence) { return sequence->AtPicture(); });
  const size_t num_given = vision_.Hand(running);
  if (num_given == 0) return;
  AnswerOf(**payer).request().CountEncodedPicture();
  stats_.vision_cache_hits += num_given - 1;
}

bool EngineCore::ForwardStep() {
  const std::span<const Chunk> batch = scheduler_.NextBatch(pacer_.Limits());
  if (batch.empty()) return false;
  segments_.clear();
  size_t num_prompt_tokens = 0;
  for (const Chunk& chunk : batch) {
    segments_.push_back(MakeSegment(chunk));
    if (!chunk.sequence->IsWriting()) num_prompt_tokens += chunk.num_tokens;
  }
  const TimePoint begin = clock_();
  const MatView<const float> logits = runner_->Forward(segments_);
  pacer_.Report(num_prompt_tokens, Seconds(begin, clock_()));
  failures_.clear();
  size_t row = 0;
  for (const Chunk& chunk : batch) {
    Accept(chunk, logits.Rows(row, chunk.num_logits));
    row += chunk.num_logits;
  }
  EndFailed();
  return true;
}

ForwardSegment EngineCore::MakeSegment(const Chunk& chunk) const {
  const Sequence& sequence = *chunk.sequence;
  const size_t begin = sequence.num_computed;
  const size_t end = begin + chunk.num_tokens;
  ForwardSegment segment;
  segment.token_ids = std::span(sequence.token_ids()).subspan(begin, chunk.num_tokens);
  segment.first_token = begin;
  segment.rope_index = &sequence.prompt().rope_index;
  segment.blocks = sequence.blocks;
  segment.num_logits = chunk.num_logits;
  const PictureRun* run = sequence.NextPicture();
  if (run == nullptr || run->begin >= end) return segment;
  const size_t first = std::max(begin, run->begin);
  segment.picture = sequence.picture.get();
  segment.picture_row = first - begin;
  segment.picture_token = first - run->begin;
  segment.num_picture_rows = std::min(end, run->end) - first;
  return segment;
}

void EngineCore::Accept(const Chunk& chunk, MatView<const float> logits) {
  Answer& answer = AnswerOf(*chunk.sequence);
  scheduler_.Commit(answer, chunk.num_tokens - answer.num_guesses());
  answer.request().SendPrefill(answer);
  if (chunk.num_logits == 0) return;
  const auto ended = WriteTokens(answer, logits);
  if (ended) FinishAnswer(answer, ended->reason, ended->loop_start_token);
}

// Writes a token for each row, until one differs from what was guessed.
std::optional<EngineCore::Ended> EngineCore::WriteTokens(Answer& answer,
                                                         MatView<const float> logits) {
  const size_t num_guessed = answer.num_guesses();
  size_t num_right = 0;
  std::optional<Ended> ended;
  for (size_t row = 0; row < logits.rows(); ++row) {
    const TokenId guess = answer.num_guesses() > 0 ? answer.guess(0) : -1;
    auto next = answer.Write(std::span(logits.Row(row), logits.cols()),
                             runner_->traits().eos_token_ids, sampler_);
    if (!next.ok()) {
      failures_.push_back({answer.request().id(), std::move(next).error()});
      break;
    }
    const TokenId written = next->event.token_id;
    answer.request().SendToken(std::move(next->event), clock_());
    ++stats_.completion_tokens;
    if (next->reason) {
      ended = Ended{*next->reason, next->loop_start_token};
      break;
    }
    if (written != guess) break;
    ++num_right;
  }
  answer.EndGuesses(num_guessed, num_right);
  scheduler_.Commit(answer, num_right);
  stats_.draft_tokens += num_guessed;
  stats_.accepted_tokens += num_right;
  return ended;
}

void EngineCore::EndFailed() {
  for (const auto& [id, error] : failures_) {
    const auto found = requests_.find(id);
    if (found == requests_.end()) continue;  // two of its answers failed in one pass
    const std::string& name = found->second->name();
    if (!name.empty()) LogError("request {} ({}): {}", id, name, error.message);
    FinishRequest(*found->second, FinishReason::kError, error);
  }
}

void EngineCore::FinishAnswer(Answer& answer, FinishReason reason,
                              std::optional<size_t> loop_start_token) {
  LiveRequest& request = answer.request();
  scheduler_.Remove(answer);
  request.FinishAnswer(answer, reason, loop_start_token);
  if (request.answers().empty()) Close(request, std::nullopt);
}

void EngineCore::FinishRequest(LiveRequest& request, FinishReason reason,
                               std::optional<Error> error) {
  while (!request.answers().empty()) {
    Answer& answer = *request.answers().front();
    reason == FinishReason::kError ? scheduler_.RemoveFailed(answer) : scheduler_.Remove(answer);
    request.FinishAnswer(answer, reason, std::nullopt);
  }
  Close(request, std::move(error));
}

void EngineCore::Close(LiveRequest& request, std::optional<Error> error) {
  ++stats_.requests_finished;
  if (request.reason() == FinishReason::kCancelled) ++stats_.requests_cancelled;
  request.Finish(std::move(error), clock_());
  const bool was_queued = request.IsQueued();
  requests_.erase(request.id());
  if (was_queued) SendQueuePositions();
}

EngineStats EngineCore::Stats() const {
  EngineStats stats = stats_;
  stats.preemptions = scheduler_.num_preemptions();
  stats.waiting_requests = num_queued();
  stats.running_sequences = scheduler_.running().size();
  stats.kv_blocks_total = blocks_.num_blocks();
  stats.kv_blocks_in_use = blocks_.num_blocks() - blocks_.num_available();
  stats.kv_blocks_cached = blocks_.num_cached();
  stats.vision_cache_used_bytes = vision_.cache().used_bytes();
  return stats;
}

}  // namespace ocelli
