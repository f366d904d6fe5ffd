#include "cli/chat_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "api/generation_call.h"
#include "cli/answer.h"
#include "cli/answer_stream.h"
#include "cli/ask_input.h"
#include "cli/ask_options.h"
#include "cli/chat_dialogue.h"
#include "cli/chat_line.h"
#include "cli/interrupt.h"
#include "cli/line_reader.h"
#include "cli/option_groups.h"
#include "cli/session.h"
#include "cli/terminal.h"

namespace ocelli::cli {
namespace {

constexpr std::string_view kHelp =
    "A path, alone or before a question, adds a picture; /picture PATH does the same.\n"
    "/retry    another answer to the last question\n"
    "/clear    forget everything said and shown\n"
    "/quit     end (Ctrl-D too); Ctrl-C stops an answer\n";

struct ChatOptions {
  ModelOptions model;
  SamplingOptions sampling;
  PictureOptions picture;
  EngineOptions engine;
  std::string system;
  bool show_reasoning = false;
  bool verbose = false;
};

bool IsFile(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

// One chat, from its first line to its last.
class Chat {
 public:
  // `files` and `engine` must outlive this.
  Chat(const ChatOptions& options, const SessionFiles& files, Engine& engine)
      : options_(options),
        files_(files),
        engine_(engine),
        params_(ApplyTo(files.generation_config, options.sampling, files.thinking)),
        picture_pool_(files.threads.threads),
        dialogue_(options.system) {}

  Status Run() {
    while (true) {
      OCELLI_ASSIGN_OR_RETURN(const LineReader::Outcome outcome, ReadLine());
      if (outcome == LineReader::Outcome::kInterrupted) Say("(Ctrl-D or /quit ends the chat)");
      if (outcome == LineReader::Outcome::kEnd) break;
      if (outcome != LineReader::Outcome::kLine) continue;
      const ChatLine line = ParseChatLine(line_, IsFile);
      if (line.kind == ChatLine::Kind::kQuit) break;
      OCELLI_RETURN_IF_ERROR(Do(line));
    }
    if (interactive_ || num_failed_ == 0) return {};
    return Error{last_failure_, fmt::format("{} lines failed, see above", num_failed_), "stdin"};
  }

 private:
  Result<LineReader::Outcome> ReadLine() {
    if (interactive_) {
      const size_t waiting = dialogue_.num_waiting_pictures();
      OCELLI_RETURN_IF_ERROR(
          WriteOut(waiting == 0 ? "> " : fmt::format("[{} new pictures] > ", waiting)));
    }
    const InterruptGuard interrupt(Interrupts::kAny);
    return reader_.Read(line_);
  }

  // **Errors**: only what ends the chat.
  Status Do(const ChatLine& line) {
    switch (line.kind) {
      case ChatLine::Kind::kText:
        return Ask(line);
      case ChatLine::Kind::kPicture:
        return AddPicture(line.picture);
      case ChatLine::Kind::kClear:
        dialogue_.Clear();
        return {};
      case ChatLine::Kind::kRetry:
        if (dialogue_.Reopen()) return Answer();
        return Refuse("there is no answer yet to try again");
      case ChatLine::Kind::kHelp:
        return WriteOut(kHelp);
      case ChatLine::Kind::kUnknown:
        return Refuse(fmt::format("{} is no command; /help lists them", line.text));
      case ChatLine::Kind::kNothing:
      case ChatLine::Kind::kQuit:
        return {};
    }
    return {};
  }

  // Says what went wrong with a line; the chat goes on.
  Status Fail(const Error& error) {
    Say(error.message);
    last_failure_ = error.code;
    ++num_failed_;
    return {};
  }
  Status Refuse(std::string message) {
    return Fail({ErrorCode::kInvalidArgument, std::move(message), "stdin"});
  }

  Status Ask(const ChatLine& line) {
    const size_t failed_before = num_failed_;
    if (!line.picture.empty()) OCELLI_RETURN_IF_ERROR(AddPicture(line.picture));
    if (num_failed_ > failed_before) return {};  // not without its picture
    dialogue_.Ask(line.text);
    return Answer();
  }

  Status AddPicture(const std::string& path) {
    api::PictureReference reference;
    reference.url = path;
    reference.param = "picture";
    auto patches =
        LoadPicture(reference, DecodeLimits(), files_.processor, options_.picture, picture_pool_);
    if (!patches.ok()) {
      return Fail(patches.error());
    }
    const Patches& used = **patches;
    Say(fmt::format("({}: {}x{}, {} image tokens)", path, used.used_size.width_px,
                    used.used_size.height_px, used.image_tokens));
    dialogue_.AddPicture({path, std::move(*patches)});
    return {};
  }

  // Answers the open question of the dialogue. A question that could not be answered is taken back.
  Status Answer() {
    cli::Answer answer;
    auto request = MakeRequest();
    const Status run = request.ok()
                           ? StreamAnswer(engine_, std::move(*request),
                                          {true, options_.show_reasoning}, Interrupts::kAny, answer)
                           : Status(request.error());
    if (!run.ok()) {
      dialogue_.TakeBack();
      if (run.error().code == ErrorCode::kIo) return run;
      return Fail(run.error());
    }
    return Conclude(answer);
  }

  Result<GenerateRequest> MakeRequest() const {
    api::GenerationCall call;
    call.conversation.messages = dialogue_.messages();
    call.chat_template.thinking = files_.thinking;
    call.params = params_;
    return api::MakeGenerateRequest(call, dialogue_.Pictures(), *files_.tokenizer);
  }

  Status Conclude(const cli::Answer& answer) {
    const FinishReason reason = answer.finished.reason;
    if (reason == FinishReason::kLength) Say(CutOffLine(answer));
    if (reason == FinishReason::kCancelled) Say("(stopped)");
    if (options_.verbose) {
      for (const std::string& line : PerformanceLines(answer)) Say(line);
      Say(fmt::format("{} prompt tokens were in the cache", answer.finished.usage.cached_tokens));
    }
    if (reason == FinishReason::kError) {
      dialogue_.TakeBack();
      return Fail(*answer.finished.error);
    }
    // What was written stays said, also when it was stopped; nothing written is nothing said.
    answer.text.empty() ? dialogue_.TakeBack() : dialogue_.Answered(answer.text);
    return {};
  }

  const ChatOptions& options_;
  const SessionFiles& files_;
  Engine& engine_;
  const SamplingParams params_;
  ThreadPool picture_pool_;  // the session's own is the engine's
  ChatDialogue dialogue_;
  const bool interactive_ = isatty(STDIN_FILENO) == 1;
  LineReader reader_{STDIN_FILENO};
  std::string line_;
  size_t num_failed_ = 0;
  ErrorCode last_failure_ = ErrorCode::kInternal;  // of num_failed_
};

Status RunChat(const ChatOptions& options) {
  OCELLI_ASSIGN_OR_RETURN(SessionFiles files, OpenSessionFiles(options.model));
  ThreadPool pool(files.threads.threads);
  OCELLI_ASSIGN_OR_RETURN(const auto session, Session::Load(files, options.engine, pool));
  for (const std::string& line : session->StartLines()) Say(line);
  Say("Add pictures by their path, then ask; /help says more.");
  return Chat(options, files, session->engine()).Run();
}

}  // namespace

Command AddChat(CLI::App& app) {
  const auto options = std::make_shared<ChatOptions>();
  options->engine.max_queue = 1;
  options->engine.max_sequences = 1;
  CLI::App* chat = app.add_subcommand("chat", "Chat about pictures in the terminal");
  chat->add_option("--system", options->system, "What the model is told before all else");
  AddShowReasoning(*chat, options->show_reasoning);
  chat->add_flag("--verbose", options->verbose, "Print the time of each stage to stderr");
  AddModelOptions(*chat, options->model);
  AddSamplingOptions(*chat, options->sampling);
  AddPictureOptions(*chat, options->picture);
  AddEngineOptions(*chat, options->engine);
  return {chat, [options] { return RunChat(*options); }};
}

}  // namespace ocelli::cli
