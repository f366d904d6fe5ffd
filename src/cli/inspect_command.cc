#include "cli/inspect_command.h"

#include <fmt/format.h>

#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_summary.h"
#include "cli/model_location.h"

namespace ocelli::cli {

Status RunInspect(const std::string& directory) {
  OCELLI_ASSIGN_OR_RETURN(const auto located, LocateModel(directory));
  OCELLI_ASSIGN_OR_RETURN(const Checkpoint checkpoint, Checkpoint::Open(located));
  OCELLI_RETURN_IF_ERROR(checkpoint.CheckComplete());
  for (const std::string& line : SummaryLines(Summarize(checkpoint))) fmt::print("{}\n", line);
  return {};
}

}  // namespace ocelli::cli
