#include "server/reply_writer.h"

#include <utility>
#include <variant>

#include "server/responses.h"

namespace ocelli::server {
namespace {

// A reader this far behind hears no more progress, and one that far behind is given up: its answer
// must not pile up in memory.
constexpr size_t kSlowReaderBytes = size_t{64} << 10;
constexpr size_t kLostReaderBytes = size_t{4} << 20;
constexpr const char* kPing = ": ping\n\n";

HttpResponse EventStreamHead() {
  HttpResponse head;
  head.content_type = "text/event-stream; charset=utf-8";
  head.fields = {{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}};
  return head;
}

bool IsProgress(const Event& event) {
  return std::holds_alternative<QueuedEvent>(event) ||
         std::holds_alternative<EncodingEvent>(event) ||
         std::holds_alternative<PrefillEvent>(event);
}

}  // namespace

void ReplyWriter::Expect(bool stream, MakeReply make_reply) {
  stream_ = stream;
  make_reply_ = std::move(make_reply);
}

void ReplyWriter::Watch(const std::shared_ptr<Generation>& generation) {
  generation_ = generation;
  exchange_->OnGone([generation] { generation->Cancel(); });
}

void ReplyWriter::OnPrepared(std::vector<api::PictureUse> pictures, double picture_seconds) {
  exchange_->Post([self = shared_from_this(), pictures = std::move(pictures), picture_seconds] {
    self->exchange_->AddStage("pictures", picture_seconds);
    self->reply_ = self->make_reply_(pictures);
  });
}

void ReplyWriter::OnAccepted() {
  exchange_->Post([self = shared_from_this()] { self->BeginStream(); });
}

void ReplyWriter::OnRefused(const Error& error) {
  const int retry_after_s = error.code == ErrorCode::kResourceExhausted ? retry_after_() : 0;
  exchange_->Post([self = shared_from_this(), error, retry_after_s] {
    self->exchange_->Respond(ErrorResponse(error, retry_after_s));
  });
}

void ReplyWriter::OnEvent(Event event) {
  exchange_->Post([self = shared_from_this(), event = std::move(event)] { self->Take(event); });
}

void ReplyWriter::BeginStream() {
  if (!stream_ || exchange_->answered()) return;
  exchange_->StartStream(EventStreamHead(), kPing);
  exchange_->Send(reply_->Start());
}

void ReplyWriter::Take(const Event& event) {
  if (exchange_->gone()) return;
  if (const auto* finished = std::get_if<FinishedEvent>(&event)) AddStages(finished->times);
  if (stream_) return TakeStreamed(event);
  reply_->Collect(event);
  if (std::holds_alternative<FinishedEvent>(event)) RespondWhole();
}

void ReplyWriter::TakeStreamed(const Event& event) {
  BeginStream();  // an event may overtake the acceptance
  if (IsProgress(event) && exchange_->unsent_bytes() > kSlowReaderBytes) return;
  exchange_->Send(reply_->Stream(event));
  if (std::holds_alternative<FinishedEvent>(event)) return exchange_->End();
  if (exchange_->unsent_bytes() <= kLostReaderBytes) return;
  exchange_->Abort();
  if (const auto generation = generation_.lock()) generation->Cancel();
}

void ReplyWriter::RespondWhole() {
  Result<std::string> whole = reply_->Whole();
  exchange_->Respond(whole.ok() ? JsonResponse(std::move(whole).value())
                                : ErrorResponse(whole.error()));
}

void ReplyWriter::AddStages(const StageTimes& times) {
  exchange_->AddStage("queued", times.queued);
  exchange_->AddStage("encode", times.encoding);
  exchange_->AddStage("prefill", times.prefill);
  exchange_->AddStage("decode", times.decode);
  exchange_->AddStage("first_token", times.first_token);
}

}  // namespace ocelli::server
