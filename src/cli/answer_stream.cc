#include "cli/answer_stream.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "cli/progress_line.h"
#include "cli/terminal.h"
#include "engine/event_queue.h"

namespace ocelli::cli {
namespace {

// Shows what happens until the first token, then the answer itself.
class AnswerPrinter {
 public:
  AnswerPrinter(Answer& answer, AnswerView view) : answer_(answer), view_(view), progress_(true) {}

  void operator()(const QueuedEvent&) {}
  void operator()(const EncodingEvent& event) {
    progress_.Show(fmt::format("picture {} of {}: layer {} of {}", event.picture + 1,
                               event.num_pictures, event.layer, event.num_layers));
  }
  void operator()(const PrefillEvent& event) {
    progress_.Show(
        fmt::format("reading the prompt: {} of {} tokens", event.done_tokens, event.total_tokens));
  }
  void operator()(const TokenEvent& event) {
    answer_.token_ids.push_back(event.token_id);
    if (event.is_reasoning && !view_.reasoning) {
      progress_.Show(fmt::format("reasoning: {} tokens", answer_.token_ids.size()));
    }
    WriteReasoning(event.reasoning);
    Write(event.text);
  }
  void operator()(const ChoiceEvent& event) {
    WriteReasoning(event.reasoning);
    Write(event.text);
    EndReasoning();
  }
  void operator()(const FinishedEvent& event) {
    progress_.Clear();
    answer_.finished = event;
    if (!answer_.text.empty() && !answer_.text.ends_with('\n')) Stream("\n");
  }

  // Whether all that was shown so far arrived; once it did not, nothing more is tried.
  const Status& written() const { return written_; }

 private:
  void WriteReasoning(const std::string& text) {
    answer_.reasoning += text;
    if (text.empty() || !view_.reasoning) return;
    progress_.Clear();
    Whisper(text);
    whispering_ = true;
  }
  void EndReasoning() {
    if (std::exchange(whispering_, false)) Whisper("\n\n");
  }
  void Write(const std::string& text) {
    if (text.empty()) return;
    progress_.Clear();
    EndReasoning();
    answer_.text += text;
    Stream(text);
  }
  void Stream(std::string_view text) {
    if (view_.text && written_.ok()) written_ = WriteOut(text);
  }

  Answer& answer_;
  AnswerView view_;
  bool whispering_ = false;  // reasoning was shown and its line is open
  Status written_;
  ProgressLine progress_;
};

}  // namespace

Status StreamAnswer(Engine& engine, GenerateRequest request, AnswerView view, Interrupts interrupts,
                    Answer& answer) {
  const InterruptGuard interrupt(interrupts);
  AnswerPrinter printer(answer, view);
  const std::shared_ptr<EventQueue> events = EventQueue::Make();
  OCELLI_ASSIGN_OR_RETURN(const RequestId id, engine.Submit(std::move(request), events->Sink()));
  while (true) {
    if (interrupt.interrupted() || !printer.written().ok()) engine.Cancel(id);
    const std::optional<Event> event = events->Pop(std::chrono::milliseconds(50));
    if (!event) continue;
    std::visit(printer, *event);
    if (std::holds_alternative<FinishedEvent>(*event)) return printer.written();
  }
}

}  // namespace ocelli::cli
