#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/ask_command.h"
#include "cli/bench_command.h"
#include "cli/chat_command.h"
#include "cli/command.h"
#include "cli/doctor_command.h"
#include "cli/inspect_command.h"
#include "cli/models_command.h"
#include "cli/ocr_command.h"
#include "cli/pack_command.h"
#include "cli/pull_command.h"
#include "cli/rm_command.h"
#include "cli/selftest_command.h"
#include "cli/serve_command.h"
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

int Main(int argc, char** argv) {
  CLI::App app("Ocelli answers questions about pictures with Qwen3-VL on the CPU.", "ocelli");
  app.set_version_flag("--version", OCELLI_VERSION);
  app.require_subcommand(1);
  const std::vector<Command> commands = {
      AddAsk(app), AddChat(app), AddServe(app), AddInspect(app), AddPull(app),     AddModels(app),
      AddRm(app),  AddPack(app), AddOcr(app),   AddDoctor(app),  AddSelftest(app), AddBench(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    std::ostringstream text;
    app.exit(wanted, text, text);
    return ExitCode(WriteOut(text.str()));
  } catch (const CLI::ParseError& error) {
    return ExitCode(UsageError(error.what()));
  }
  const auto given = std::find_if(commands.begin(), commands.end(),
                                  [](const Command& command) { return command.app->parsed(); });
  const int usual = ExitCode(given->run());
  const int own = given->exit_code ? given->exit_code() : 0;
  return own != 0 ? own : usual;
}

}  // namespace
}  // namespace ocelli::cli

int main(int argc, char** argv) {
  ocelli::cli::OpenClosedStandardFiles();
  ocelli::cli::ExplainOutOfMemory(ocelli::cli::kExitFailure);
  return ocelli::cli::Main(argc, argv);
}
