#include "cli/pull_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "base/byte_size.h"
#include "cli/model_location.h"
#include "cli/pull_model.h"
#include "cli/terminal.h"

namespace ocelli::cli {
namespace {

struct PullOptions {
  std::string model = "Qwen/Qwen3-VL-2B-Instruct";
  std::string revision;
  std::string source = "auto";
  bool offline = false;
};

std::string Summary(const hub::PullRequest& request, const hub::PullResult& result) {
  if (result.source == "cache") {
    return fmt::format("{} is here; nothing was asked of a hub", request.repo.Text());
  }
  return fmt::format("{} is here and verified: {}, of which {} were fetched now from {}",
                     request.repo.Text(), DescribeBytes(result.total_bytes),
                     DescribeBytes(result.received_bytes), result.source);
}

Status RunPull(const PullOptions& options) {
  OCELLI_ASSIGN_OR_RETURN(hub::HubSettings settings, hub::HubSettings::FromEnvironment());
  settings.offline = settings.offline || options.offline;
  OCELLI_ASSIGN_OR_RETURN(ModelName name, ParseModelName(options.model));
  if (!options.revision.empty()) name.revision = options.revision;
  hub::PullRequest request{name.repo, name.revision};
  OCELLI_ASSIGN_OR_RETURN(request.source, hub::ParseSourceChoice(options.source));
  OCELLI_ASSIGN_OR_RETURN(const hub::PullResult result, PullModel(settings, request));
  Say("ocelli: " + Summary(request, result));
  return WriteOut(result.snapshot.string() + "\n");
}

}  // namespace

Command AddPull(CLI::App& app) {
  const auto options = std::make_shared<PullOptions>();
  CLI::App* command = app.add_subcommand("pull", "Fetch a model, or verify the one that is here");
  command->add_option("model", options->model, "Owner and name, as in Qwen/Qwen3-VL-2B-Instruct")
      ->capture_default_str();
  command->add_option("--revision", options->revision,
                      "A branch, a tag or a commit (default: main)");
  command
      ->add_option("--source", options->source,
                   "huggingface (or the mirror in HF_ENDPOINT), modelscope, or auto: the second "
                   "when the first cannot be reached")
      ->check(CLI::IsMember({"auto", "huggingface", "modelscope"}))
      ->capture_default_str();
  command->add_flag("--offline", options->offline, "Only say whether it is here");
  return {command, [options] { return RunPull(*options); }};
}

}  // namespace ocelli::cli
