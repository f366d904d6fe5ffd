#ifndef OCELLI_CLI_COMMAND_H_
#define OCELLI_CLI_COMMAND_H_

#include <functional>

#include "base/error.h"

namespace CLI {
class App;
}  // namespace CLI

namespace ocelli::cli {

// A command that was added to the command line: its options are read into what `run` owns.
struct Command {
  CLI::App* app = nullptr;      // of the parent's subcommands
  std::function<Status()> run;  // once `app` was parsed
  // The exit code of a run that failed, where the command has one of its own; 0: the usual one.
  std::function<int()> exit_code = {};
};

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_COMMAND_H_
