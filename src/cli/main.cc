#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

#include "base/error.h"
#include "cli/ask_command.h"
#include "cli/ask_options.h"
#include "cli/inspect_command.h"
#include "cli/terminal.h"

namespace ocelli::cli {
namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;
constexpr int kExitInterrupted = 130;  // as shells report SIGINT

int ExitCode(const Status& status) {
  if (status.ok()) return 0;
  if (status.error().code == ErrorCode::kCancelled) return kExitInterrupted;
  Say("ocelli: " + status.error().message);
  return status.error().code == ErrorCode::kInvalidArgument ? kExitUsage : kExitFailure;
}

Error UsageError(std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  return Error{ErrorCode::kInvalidArgument, message + "; ocelli --help shows what can be given",
               ""};
}

// Says what is wrong with `text` as a whole number that an `Integer` holds; "" when nothing is.
// CLI11 takes "-1" for the largest unsigned number and cuts what is too long.
template <typename Integer>
std::string CheckWholeNumber(const std::string& text) {
  Integer value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return "";
  return fmt::format("{} is not a whole number from {} to {}", text,
                     std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max());
}

template <typename Integer>
Integer IntegerOf(const std::optional<Integer>&);
template <typename Integer>
Integer IntegerOf(const Integer&);

// Adds an option that takes a whole number, and nothing that is only nearly one.
template <typename Field>
CLI::Option* AddWhole(CLI::App& command, const std::string& name, Field& field,
                      const std::string& help) {
  return command.add_option(name, field, help)->check(CheckWholeNumber<decltype(IntegerOf(field))>);
}

void AddModelOptions(CLI::App& command, ModelOptions& options) {
  command.add_option("--model", options.model,
                     "Folder of a Qwen3-VL checkpoint (default: the embedded model)");
  command
      .add_option("--load-format", options.load_format,
                  "auto, or dummy: random weights, for benchmarks")
      ->check(CLI::IsMember({"auto", "dummy"}));
  command.add_option("--config", options.config,
                     "With --load-format dummy: folder with the config.json to imitate");
  command
      .add_option("--threads", options.threads,
                  "Compute threads (default: what affinity and cgroup quota allow)")
      ->check(CLI::Range(1, 1024));
  command.add_flag("--huge-pages", options.huge_pages, "Ask the kernel for transparent huge pages");
}

void AddSamplingOptions(CLI::App& command, SamplingOptions& options) {
  AddWhole(command, "--max-new-tokens", options.max_new_tokens, "Longest answer (default 512)");
  command.add_option("--temperature", options.temperature, "0 is greedy (default: the model's)");
  AddWhole(command, "--top-k", options.top_k, "Keep this many likeliest tokens; 0: all");
  command.add_option("--top-p", options.top_p, "Keep the likeliest tokens up to this probability");
  command.add_option("--min-p", options.min_p,
                     "Keep tokens at least this likely, relative to the likeliest");
  command.add_option("--repetition-penalty", options.repetition_penalty,
                     "Above 1 discourages every token seen");
  command.add_option("--presence-penalty", options.presence_penalty,
                     "Taken from the logits of tokens in the answer");
  command.add_option("--frequency-penalty", options.frequency_penalty,
                     "The same, times how often they stand there");
  AddWhole(command, "--seed", options.seed, "Makes sampling repeatable");
  command.add_option("--stop", options.stop, "End the answer before this text (up to 4 times)")
      ->allow_extra_args(false);  // else it swallows the pictures and the question
  command.add_flag("--ignore-eos", options.ignore_eos, "Go on to the bound, for benchmarks");
}

void AddPictureOptions(CLI::App& command, PictureOptions& options) {
  AddWhole(command, "--max-side", options.max_side, "Longer side of a picture, in pixels, at most");
  AddWhole(command, "--min-side", options.min_side,
           "Shorter side of a picture, in pixels, at least");
  AddWhole(command, "--max-image-tokens", options.max_image_tokens,
           "Image tokens of a picture at most (default 1024)");
  AddWhole(command, "--min-pixels", options.min_pixels, "Area of a picture, in pixels, at least");
  AddWhole(command, "--max-pixels", options.max_pixels, "Area of a picture, in pixels, at most");
}

CLI::App* AddAsk(CLI::App& app, AskOptions& options) {
  CLI::App* ask = app.add_subcommand("ask", "Ask a question about pictures");
  ask->add_option("arguments", options.arguments, "PICTURE... \"QUESTION\"");
  ask->add_option("--messages", options.messages,
                  "JSON list of OpenAI-style messages from a file, or - for stdin");
  ask->add_flag("--json", options.json, "Print one JSON document: text, tokens, pictures, times");
  ask->add_flag("--verbose", options.verbose, "Print the time of each stage to stderr");
  AddModelOptions(*ask, options.model);
  AddSamplingOptions(*ask, options.sampling);
  AddPictureOptions(*ask, options.picture);
  return ask;
}

int Main(int argc, char** argv) {
  CLI::App app("Ocelli answers questions about pictures with Qwen3-VL on the CPU.", "ocelli");
  app.set_version_flag("--version", OCELLI_VERSION);
  app.require_subcommand(1);
  AskOptions ask_options;
  const CLI::App* ask = AddAsk(app, ask_options);
  std::string directory;
  CLI::App* inspect = app.add_subcommand("inspect", "Say what a checkpoint is and what it needs");
  inspect->add_option("directory", directory,
                      "Folder of a Qwen3-VL checkpoint (default: the embedded model)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    std::ostringstream text;
    app.exit(wanted, text, text);
    return ExitCode(WriteOut(text.str()));
  } catch (const CLI::ParseError& error) {
    return ExitCode(UsageError(error.what()));
  }
  return ExitCode(ask->parsed() ? RunAsk(ask_options) : RunInspect(directory));
}

}  // namespace
}  // namespace ocelli::cli

int main(int argc, char** argv) {
  ocelli::cli::OpenClosedStandardFiles();
  ocelli::cli::ExplainOutOfMemory(ocelli::cli::kExitFailure);
  return ocelli::cli::Main(argc, argv);
}
