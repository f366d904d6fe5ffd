#ifndef OCELLI_TESTS_CLI_RUN_PROGRAM_H_
#define OCELLI_TESTS_CLI_RUN_PROGRAM_H_

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace ocelli {

// How a program ended and what it wrote.
struct ProgramResult {
  int exit_code = -1;  // 128 + n after signal n
  std::string out;
  std::string err;
  double seconds = 0;
};

struct ProgramInput {
  std::vector<std::string> launcher;  // runs the program: its path and arguments; empty: directly
  std::string standard_input;
  std::vector<std::string> environment;  // "NAME=value", added to ours
  bool interrupt_on_output = false;      // sends SIGINT at the first byte on stdout
  // Asked again and again, with the program's id and what it wrote so far; the first time that it
  // says yes SIGTERM is sent.
  std::function<bool(int, const ProgramResult&)> terminate_when;
  std::chrono::milliseconds kill_after = std::chrono::seconds(60);  // a test must end
  std::string output_path;  // takes standard output in place of the result
  std::string error_path;   // the same for standard error
};

// Runs `ocelli` with `arguments` and waits for its end.
ProgramResult RunOcelli(const std::vector<std::string>& arguments, const ProgramInput& input = {});

}  // namespace ocelli

#endif  // OCELLI_TESTS_CLI_RUN_PROGRAM_H_
