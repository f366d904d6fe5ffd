#include "cli/inspect_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "base/printable.h"
#include "checkpoint/checkpoint.h"
#include "cli/checkpoint_summary.h"
#include "cli/model_location.h"
#include "cli/terminal.h"
#include "kernels/linear.h"

namespace ocelli::cli {
namespace {

constexpr size_t kMaxLineBytes = 1000;

Status RunInspect(const std::string& directory) {
  OCELLI_ASSIGN_OR_RETURN(const auto located, LocateModel(directory, /*pull=*/false));
  OCELLI_ASSIGN_OR_RETURN(const Checkpoint checkpoint, Checkpoint::Open(located));
  OCELLI_ASSIGN_OR_RETURN(const CheckpointSummary summary,
                          Summarize(checkpoint, FastestWeightFormat()));
  std::string text;
  for (const std::string& line : SummaryLines(summary)) {
    text += Printable(line, kMaxLineBytes) + "\n";
  }
  return WriteOut(text);
}

}  // namespace

Command AddInspect(CLI::App& app) {
  const auto directory = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("inspect", "Say what a checkpoint is and what it needs");
  command->add_option("directory", *directory,
                      "A model of `ocelli models` or the folder of a checkpoint (default: the "
                      "embedded model)");
  return {command, [directory] { return RunInspect(*directory); }};
}

}  // namespace ocelli::cli
