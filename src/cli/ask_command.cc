#include "cli/ask_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>

#include "api/enhance_field.h"
#include "api/generation_call.h"
#include "base/disk.h"
#include "cli/answer.h"
#include "cli/answer_stream.h"
#include "cli/ask_input.h"
#include "cli/ask_options.h"
#include "cli/interrupt.h"
#include "cli/option_groups.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "picture/png_writer.h"

namespace ocelli::cli {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Whether pictures are enhanced and nothing is asked about them: then they are there to be read.
bool IsReading(const AskOptions& options) {
  std::error_code ignored;
  return options.enhance.Options() && !options.arguments.empty() &&
         std::filesystem::exists(options.arguments.back(), ignored);
}

Result<api::Conversation> ReadConversation(const AskOptions& options) {
  if (options.messages.empty()) {
    return ConversationFromArguments(options.arguments,
                                     IsReading(options) ? api::kReadAllText : "");
  }
  if (options.arguments.empty()) return ConversationFromFile(options.messages);
  return Error{ErrorCode::kInvalidArgument,
               "give either --messages or pictures and a question, not both", "messages"};
}

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

Status CheckSaving(const api::Conversation& conversation, const AskOptions& options) {
  if (options.save_enhanced.empty()) return {};
  if (conversation.pictures.size() == 1 &&
      (options.enhance.Options() || conversation.pictures[0].enhance)) {
    return {};
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("--save-enhanced goes with --enhance and one picture; there are {}",
                           conversation.pictures.size()),
               "save_enhanced"};
}

Status Save(const RgbImage& enhanced, const AskOptions& options) {
  if (options.save_enhanced.empty()) return {};
  OCELLI_ASSIGN_OR_RETURN(const std::string png, EncodePng(enhanced));
  return ReplaceFile(options.save_enhanced, png, options.save_enhanced + ".part");
}

// Loads the pictures; each URL, which may be the picture itself, is freed once it is read.
Status LoadPictures(api::Conversation& conversation, const AskOptions& options,
                    const SessionFiles& files, ThreadPool& pool, Answer& answer) {
  const Clock::time_point start = Clock::now();
  OCELLI_RETURN_IF_ERROR(CheckSaving(conversation, options));
  for (api::PictureReference& picture : conversation.pictures) {
    if (!picture.enhance) picture.enhance = options.enhance.Options();
    OCELLI_ASSIGN_OR_RETURN(
        auto patches, LoadPicture(picture, DecodeLimits(), files.processor, options.picture, pool,
                                  [&](const RgbImage& seen) { return Save(seen, options); }));
    answer.pictures.push_back({PictureName(picture), std::move(patches)});
    picture.url = std::string();
    OCELLI_RETURN_IF_ERROR(CheckImageTokens(answer, files));
  }
  answer.picture_seconds = SecondsSince(start);
  return {};
}

Result<GenerateRequest> MakeRequest(api::Conversation conversation, const AskOptions& options,
                                    const SessionFiles& files, Answer& answer) {
  api::GenerationCall call;
  call.conversation = std::move(conversation);
  call.chat_template.thinking = files.thinking;
  call.params = ApplyTo(files.generation_config, options.sampling, files.thinking);
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
      if (!options.json) Say(CutOffLine(answer));
      return {};
    default:
      return {};
  }
}

Status RunAsk(const AskOptions& options) {
  OCELLI_ASSIGN_OR_RETURN(api::Conversation conversation, ReadConversation(options));
  OCELLI_ASSIGN_OR_RETURN(SessionFiles files, OpenSessionFiles(options.model));
  files.keep_mapped = true;
  Answer answer;
  const auto pool = std::make_unique<ThreadPool>(files.threads.threads);
  // Pictures and prompt come before the weights: what is wrong with them is said at once.
  OCELLI_RETURN_IF_ERROR(LoadPictures(conversation, options, files, *pool, answer));
  OCELLI_ASSIGN_OR_RETURN(GenerateRequest request,
                          MakeRequest(std::move(conversation), options, files, answer));
  const Clock::time_point start = Clock::now();
  OCELLI_ASSIGN_OR_RETURN(
      const std::unique_ptr<Session> session,
      Session::Load(files, OptionsForOne(files, request, options.kv_type), *pool));
  answer.load_seconds = SecondsSince(start);
  if (options.verbose) {
    for (const std::string& line : session->StartLines()) Say(line);
  }
  const AnswerView view{!options.json, options.show_reasoning};
  OCELLI_RETURN_IF_ERROR(
      StreamAnswer(session->engine(), std::move(request), view, Interrupts::kOnce, answer));
  return Conclude(answer, options);
}

}  // namespace

Command AddAsk(CLI::App& app) {
  const auto options = std::make_shared<AskOptions>();
  CLI::App* ask = app.add_subcommand("ask", "Ask a question about pictures");
  ask->add_option("arguments", options->arguments, "PICTURE... \"QUESTION\"");
  ask->add_option("--messages", options->messages,
                  "JSON list of OpenAI-style messages from a file, or - for stdin");
  AddShowReasoning(*ask, options->show_reasoning);
  ask->add_flag("--json", options->json, "Print one JSON document: text, tokens, pictures, times");
  ask->add_flag("--verbose", options->verbose,
                "Print what this runs on and the time of each stage to stderr");
  AddModelOptions(*ask, options->model);
  AddKvType(*ask, options->kv_type);
  AddSamplingOptions(*ask, options->sampling);
  AddPictureOptions(*ask, options->picture);
  AddEnhanceOptions(*ask, options->enhance);
  ask->add_option("--save-enhanced", options->save_enhanced,
                  "Write the enhanced picture to this file, as PNG");
  return {ask, [options] { return RunAsk(*options); }};
}

}  // namespace ocelli::cli
