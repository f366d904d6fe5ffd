#include "cli/inspect_command.h"

#include <fmt/format.h>

#include "checkpoint/checkpoint.h"
#include "cli/checkpoint_summary.h"
#include "cli/model_location.h"

namespace ocelli::cli {

Status RunInspect(const std::string& directory) {
  OCELLI_ASSIGN_OR_RETURN(const auto located, LocateModel(directory));
  OCELLI_ASSIGN_OR_RETURN(const Checkpoint checkpoint, Checkpoint::Open(located));
  OCELLI_ASSIGN_OR_RETURN(const CheckpointSummary summary, Summarize(checkpoint));
  for (const std::string& line : SummaryLines(summary)) fmt::print("{}\n", line);
  return {};
}

}  // namespace ocelli::cli
