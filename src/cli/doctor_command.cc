#include "cli/doctor_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/doctor_report.h"
#include "cli/terminal.h"

namespace ocelli::cli {
namespace {

Status RunDoctor(const DoctorOptions& options) {
  const DoctorReport report = Examine(options);
  std::string text;
  for (const std::string& line : ReportLines(report)) text += line + "\n";
  OCELLI_RETURN_IF_ERROR(WriteOut(options.json ? ReportJson(report) : text));
  if (report.verify_failed) return Error{ErrorCode::kCorruptData, report.verified, "model"};
  if (!report.model_fault.empty()) {
    return Error{ErrorCode::kUnavailable, report.model_fault, "model"};
  }
  return {};
}

}  // namespace

Command AddDoctor(CLI::App& app) {
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App* command =
      app.add_subcommand("doctor", "Say what this machine can do, and what would make it faster");
  command->add_option("--model", options->model,
                      "A model of `ocelli models` or the folder of a checkpoint (default: the "
                      "embedded model)");
  command->add_option("--threads", options->threads, "Compute threads to measure with")
      ->check(CLI::Range(1, 1024));
  command->add_option("--port", options->port, "The port that a server would listen on")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  command->add_flag("--verify", options->verify, "Read the model's files and compare their hashes");
  command->add_flag("--json", options->json, "Print one JSON document");
  return {command, [options] { return RunDoctor(*options); }};
}

}  // namespace ocelli::cli
