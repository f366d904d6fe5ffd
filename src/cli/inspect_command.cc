#include "cli/inspect_command.h"

#include <string>

#include "base/printable.h"
#include "checkpoint/checkpoint.h"
#include "cli/checkpoint_summary.h"
#include "cli/model_location.h"
#include "cli/terminal.h"

namespace ocelli::cli {
namespace {

constexpr size_t kMaxLineBytes = 1000;

}  // namespace

Status RunInspect(const std::string& directory) {
  OCELLI_ASSIGN_OR_RETURN(const auto located, LocateModel(directory));
  OCELLI_ASSIGN_OR_RETURN(const Checkpoint checkpoint, Checkpoint::Open(located));
  OCELLI_ASSIGN_OR_RETURN(const CheckpointSummary summary, Summarize(checkpoint));
  std::string text;
  for (const std::string& line : SummaryLines(summary)) {
    text += Printable(line, kMaxLineBytes) + "\n";
  }
  return WriteOut(text);
}

}  // namespace ocelli::cli
