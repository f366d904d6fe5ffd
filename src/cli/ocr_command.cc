#include "cli/ocr_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/enhance_field.h"
#include "api/ocr_formats.h"
#include "api/ocr_page.h"
#include "api/picture_budget.h"
#include "cli/ask_options.h"
#include "cli/model_identity.h"
#include "cli/ocr_batch.h"
#include "cli/ocr_folder.h"
#include "cli/ocr_inputs.h"
#include "cli/option_groups.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "cli/whole_number.h"
#include "picture/size_rule.h"

namespace ocelli::cli {
namespace {

constexpr int kExitSomeFailed = 3;
constexpr size_t kMostParallel = 64;
constexpr size_t kPromptTokens = 256;  // of the template and a long question

struct OcrOptions {
  ModelOptions model;
  PictureOptions picture;
  EnhanceChoice enhance;
  KvType kv_type = KvType::kFloat32;
  std::vector<std::string> inputs;
  std::string output;
  std::vector<std::string> formats = {"txt"};
  std::string question = std::string(api::kReadAllText);
  size_t max_new_tokens = api::kPageMaxNewTokens;
  size_t parallel = 4;
  int exit_code = 0;  // of a run that came to its end
};

std::vector<api::OcrFormat> FormatsOf(const OcrOptions& options) {
  std::vector<api::OcrFormat> formats;
  for (const std::string& ending : options.formats) formats.push_back(*api::OcrFormatOf(ending));
  return formats;
}

// Returns the image tokens of a picture at most.
size_t MostImageTokens(const OcrOptions& options, const ProcessorOptions& processor) {
  const PictureOptions budget = api::PictureBudget({}, options.picture);
  if (budget.max_image_tokens != 0) return budget.max_image_tokens;
  const auto side = static_cast<uint64_t>(processor.factor());
  const uint64_t pixels = budget.max_pixels == 0
                              ? processor.max_pixels
                              : std::min(budget.max_pixels, processor.max_pixels);
  return static_cast<size_t>(std::max(uint64_t{1}, pixels / (side * side)));
}

EngineOptions EngineOptionsOf(const OcrOptions& options, const SessionFiles& files) {
  EngineOptions engine;
  engine.kv_type = options.kv_type;
  engine.max_queue = options.parallel;
  engine.max_sequences = options.parallel;
  engine.max_image_tokens = MostImageTokens(options, files.processor);
  engine.max_context_tokens =
      engine.max_image_tokens + options.question.size() + kPromptTokens + options.max_new_tokens;
  engine.prefix_cache = false;  // every picture comes once
  return engine;
}

std::string Summary(const OcrCounts& counts, const std::string& output) {
  std::string text = fmt::format("ocelli: {} pages in {}: {} read now, {} there before, {} blank",
                                 counts.done(), output, counts.read, counts.found, counts.blank);
  if (counts.warnings > 0) text += fmt::format("; {} with warnings", counts.warnings);
  return text;
}

Status Conclude(const OcrCounts& counts, OcrOptions& options) {
  Say(Summary(counts, options.output));
  if (counts.failed == 0) return {};
  if (counts.done() > 0) options.exit_code = kExitSomeFailed;
  return Error{ErrorCode::kIo,
               fmt::format("{} of {} pictures could not be read, see above and manifest.json",
                           counts.failed, counts.failed + counts.done()),
               "inputs"};
}

Status RunOcr(OcrOptions& options) {
  OCELLI_ASSIGN_OR_RETURN(const std::vector<OcrInput> inputs, ListOcrInputs(options.inputs));
  OCELLI_ASSIGN_OR_RETURN(const auto folder,
                          OcrFolder::Open(options.output, FormatsOf(options), inputs));
  OCELLI_ASSIGN_OR_RETURN(SessionFiles files, OpenSessionFiles(options.model));
  ThreadPool pool(files.threads.threads);
  OCELLI_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session,
                          Session::Load(files, EngineOptionsOf(options, files), pool));
  OcrSettings settings;
  settings.question = options.question;
  settings.max_new_tokens = options.max_new_tokens;
  settings.parallel = options.parallel;
  settings.picture = options.picture;
  settings.enhance = options.enhance.Options();
  settings.identity = IdentityOf(files, session->options()).fingerprint;
  const Result<OcrCounts> counts = ReadBatch(inputs, settings, files, session->engine(), *folder);
  OCELLI_RETURN_IF_ERROR(folder->WriteManifest());
  OCELLI_RETURN_IF_ERROR(counts);
  return Conclude(*counts, options);
}

}  // namespace

Command AddOcr(CLI::App& app) {
  const auto options = std::make_shared<OcrOptions>();
  CLI::App* ocr = app.add_subcommand("ocr", "Read the text of many pictures into a folder");
  ocr->add_option("inputs", options->inputs, "FILE|FOLDER..., or - for paths on standard input")
      ->required();
  ocr->add_option("-o,--output", options->output,
                  "Folder for what was read; a later run with it goes on where this one was")
      ->required();
  ocr->add_option("--format", options->formats, "txt, md, json, csv; several with commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"txt", "md", "json", "csv"}))
      ->capture_default_str();
  ocr->add_option("--question", options->question, "What is asked of each picture")
      ->check([](const std::string& text) { return text.empty() ? "the question is empty" : ""; })
      ->capture_default_str();
  AddWhole(*ocr, "--max-new-tokens", options->max_new_tokens, "Longest text of a picture", 1,
           size_t{1} << 20)
      ->capture_default_str();
  AddWhole(*ocr, "--parallel", options->parallel, "Pictures that are read at the same time", 1,
           kMostParallel)
      ->capture_default_str();
  AddModelOptions(*ocr, options->model);
  AddKvType(*ocr, options->kv_type);
  AddPictureOptions(*ocr, options->picture);
  AddEnhanceOptions(*ocr, options->enhance);
  return {ocr, [options] { return RunOcr(*options); }, [options] { return options->exit_code; }};
}

}  // namespace ocelli::cli
