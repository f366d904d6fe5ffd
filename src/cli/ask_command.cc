#include "cli/ask_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

#include "api/generation_call.h"
#include "cli/answer.h"
#include "cli/ask_input.h"
#include "cli/ask_options.h"
#include "cli/interrupt.h"
#include "cli/option_groups.h"
#include "cli/progress_line.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "engine/event_queue.h"

namespace ocelli::cli {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Result<api::Conversation> ReadConversation(const AskOptions& options) {
  if (options.messages.empty()) return ConversationFromArguments(options.arguments);
  if (options.arguments.empty()) return ConversationFromFile(options.messages);
  return Error{ErrorCode::kInvalidArgument,
               "give either --messages or pictures and a question, not both", "messages"};
}

// Shows what happens until the first token, then the answer itself.
class AnswerPrinter {
 public:
  AnswerPrinter(Answer& answer, bool stream) : answer_(answer), stream_(stream), progress_(true) {}

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
    Write(event.text);
  }
  void operator()(const ChoiceEvent& event) { Write(event.text); }
  void operator()(const FinishedEvent& event) {
    progress_.Clear();
    answer_.finished = event;
    if (!answer_.text.empty() && !answer_.text.ends_with('\n')) Stream("\n");
  }

  // Whether all that was shown so far arrived; once it did not, nothing more is tried.
  const Status& written() const { return written_; }

 private:
  void Write(const std::string& text) {
    if (text.empty()) return;
    progress_.Clear();
    answer_.text += text;
    Stream(text);
  }
  void Stream(std::string_view text) {
    if (stream_ && written_.ok()) written_ = WriteOut(text);
  }

  Answer& answer_;
  bool stream_;
  Status written_;
  ProgressLine progress_;
};

// Refuses pictures that could never fit into the context before the rest of them is read.
Status CheckImageTokens(const Answer& answer, const SessionFiles& files) {
  size_t tokens = 0;
  for (const UsedPicture& picture : answer.pictures) tokens += picture.patches->image_tokens;
  const size_t limit = files.config.text_config.max_position_embeddings;
  if (tokens <= limit) return {};
  return Error{
      ErrorCode::kTooLarge,
      fmt::format("the first {} pictures take {} tokens and the model's context has {}: give fewer "
                  "pictures, or fewer tokens to each with --max-image-tokens",
                  answer.pictures.size(), tokens, limit),
      "max_image_tokens"};
}

// Runs one request to its end; Ctrl-C, or an output that takes no more, cancels it and still waits
// for the end.
Status Generate(Engine& engine, GenerateRequest request, AnswerPrinter& printer) {
  const InterruptGuard interrupt;
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

Status LoadPictures(const api::Conversation& conversation, const AskOptions& options,
                    const SessionFiles& files, ThreadPool& pool, Answer& answer) {
  const Clock::time_point start = Clock::now();
  for (const api::PictureReference& picture : conversation.pictures) {
    OCELLI_ASSIGN_OR_RETURN(
        auto patches, LoadPicture(picture, DecodeLimits(), files.processor, options.picture, pool));
    answer.pictures.push_back({PictureName(picture), std::move(patches)});
    OCELLI_RETURN_IF_ERROR(CheckImageTokens(answer, files));
  }
  answer.picture_seconds = SecondsSince(start);
  return {};
}

Result<GenerateRequest> MakeRequest(const api::Conversation& conversation,
                                    const AskOptions& options, const SessionFiles& files,
                                    Answer& answer) {
  api::GenerationCall call;
  call.conversation = conversation;
  call.params = ApplyTo(files.generation_config, options.sampling);
  std::vector<std::shared_ptr<const Patches>> pictures;
  for (const UsedPicture& picture : answer.pictures) pictures.push_back(picture.patches);
  OCELLI_ASSIGN_OR_RETURN(GenerateRequest request,
                          api::MakeGenerateRequest(call, std::move(pictures), *files.tokenizer));
  answer.prompt_token_ids = request.prompt_token_ids;
  return request;
}

Status Conclude(const Answer& answer, const AskOptions& options) {
  if (options.json) OCELLI_RETURN_IF_ERROR(WriteOut(AnswerJson(answer) + "\n"));
  if (options.verbose) {
    for (const std::string& line : PerformanceLines(answer)) Say(line);
  }
  switch (answer.finished.reason) {
    case FinishReason::kError:
      return *answer.finished.error;
    case FinishReason::kCancelled:
      return Error{ErrorCode::kCancelled, "stopped", ""};
    case FinishReason::kLength:
      if (!options.json) {
        Say(fmt::format("(cut off after {} tokens; --max-new-tokens sets the bound)",
                        answer.token_ids.size()));
      }
      return {};
    default:
      return {};
  }
}

Status RunAsk(const AskOptions& options) {
  OCELLI_ASSIGN_OR_RETURN(const api::Conversation conversation, ReadConversation(options));
  OCELLI_ASSIGN_OR_RETURN(SessionFiles files, OpenSessionFiles(options.model));
  Answer answer;
  const auto pool = std::make_unique<ThreadPool>(files.threads.threads);
  // Pictures and prompt come before the weights: what is wrong with them is said at once.
  OCELLI_RETURN_IF_ERROR(LoadPictures(conversation, options, files, *pool, answer));
  OCELLI_ASSIGN_OR_RETURN(GenerateRequest request,
                          MakeRequest(conversation, options, files, answer));
  const Clock::time_point start = Clock::now();
  OCELLI_ASSIGN_OR_RETURN(
      const std::unique_ptr<Session> session,
      Session::Load(files, OptionsForOne(files, request, options.kv_type), *pool));
  answer.load_seconds = SecondsSince(start);
  if (options.verbose) {
    for (const std::string& line : session->StartLines()) Say(line);
  }
  AnswerPrinter printer(answer, !options.json);
  OCELLI_RETURN_IF_ERROR(Generate(session->engine(), std::move(request), printer));
  return Conclude(answer, options);
}

}  // namespace

Command AddAsk(CLI::App& app) {
  const auto options = std::make_shared<AskOptions>();
  CLI::App* ask = app.add_subcommand("ask", "Ask a question about pictures");
  ask->add_option("arguments", options->arguments, "PICTURE... \"QUESTION\"");
  ask->add_option("--messages", options->messages,
                  "JSON list of OpenAI-style messages from a file, or - for stdin");
  ask->add_flag("--json", options->json, "Print one JSON document: text, tokens, pictures, times");
  ask->add_flag("--verbose", options->verbose,
                "Print what this runs on and the time of each stage to stderr");
  AddModelOptions(*ask, options->model);
  AddKvType(*ask, options->kv_type);
  AddSamplingOptions(*ask, options->sampling);
  AddPictureOptions(*ask, options->picture);
  return {ask, [options] { return RunAsk(*options); }};
}

}  // namespace ocelli::cli
