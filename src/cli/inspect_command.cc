#include "cli/inspect_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "base/machine_limits.h"
#include "base/printable.h"
#include "checkpoint/checkpoint.h"
#include "cli/checkpoint_summary.h"
#include "cli/exponent_survey.h"
#include "cli/model_location.h"
#include "cli/terminal.h"
#include "kernels/linear.h"
#include "parallel/thread_pool.h"

namespace ocelli::cli {
namespace {

constexpr size_t kMaxLineBytes = 1000;

struct InspectOptions {
  std::string directory;
  bool entropy = false;
};

Status RunInspect(const InspectOptions& options) {
  OCELLI_ASSIGN_OR_RETURN(const auto located, LocateModel(options.directory, /*pull=*/false));
  OCELLI_ASSIGN_OR_RETURN(Checkpoint checkpoint, Checkpoint::Open(located));
  OCELLI_ASSIGN_OR_RETURN(const CheckpointSummary summary,
                          Summarize(checkpoint, FastestWeightFormat()));
  std::string text;
  for (const std::string& line : SummaryLines(summary)) {
    text += Printable(line, kMaxLineBytes) + "\n";
  }
  if (options.entropy) {
    ThreadPool pool(DetectThreadLimits().threads);
    OCELLI_ASSIGN_OR_RETURN(const ExponentSurvey survey, SurveyExponents(checkpoint, pool));
    text += survey.Describe() + "\n";
  }
  return WriteOut(text);
}

}  // namespace

Command AddInspect(CLI::App& app) {
  const auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand("inspect", "Say what a checkpoint is and what it needs");
  command->add_option("directory", options->directory,
                      "A model of `ocelli models` or the folder of a checkpoint (default: the "
                      "embedded model)");
  command->add_flag("--entropy", options->entropy,
                    "Also read all weights and say how few bits their exponents need");
  return {command, [options] { return RunInspect(*options); }};
}

}  // namespace ocelli::cli
