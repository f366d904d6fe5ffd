#include "cli/bench_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/ask_options.h"
#include "cli/bench_clients.h"
#include "cli/bench_report.h"
#include "cli/bench_workload.h"
#include "cli/option_groups.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "cli/whole_number.h"

namespace ocelli::cli {
namespace {

constexpr size_t kMostClients = 1024;
constexpr size_t kMostRounds = 1'000'000;
constexpr size_t kNumCancels = 5;

struct BenchOptions {
  ModelOptions model;
  EngineOptions engine;
  BenchWorkload workload;
  std::vector<size_t> clients = {1, 2, 4, 8};
  std::vector<std::string> pictures = {"336x336"};
  bool json = false;
};

Status ReadPictures(const std::vector<std::string>& sizes, BenchWorkload& workload) {
  workload.pictures.clear();
  for (const std::string& text : sizes) {
    OCELLI_ASSIGN_OR_RETURN(const SizePx size, ParsePictureSize(text));
    workload.pictures.push_back(size);
  }
  return {};
}

Status RunBenchServe(BenchOptions& options) {
  OCELLI_RETURN_IF_ERROR(ReadPictures(options.pictures, options.workload));
  OCELLI_ASSIGN_OR_RETURN(SessionFiles files, OpenSessionFiles(options.model));
  ThreadPool pool(files.threads.threads);
  OCELLI_ASSIGN_OR_RETURN(const auto session, Session::Load(files, options.engine, pool));
  OCELLI_RETURN_IF_ERROR(session->WarmUp());
  for (const std::string& line : session->StartLines()) Say(line);
  BenchReport report;
  size_t number = 0;
  for (const size_t clients : options.clients) {
    OCELLI_ASSIGN_OR_RETURN(const BenchRun run, RunClients(options.workload, clients, number, files,
                                                           session->engine()));
    number += clients * options.workload.conversations;
    report.runs.push_back(Summarize(run));
  }
  OCELLI_ASSIGN_OR_RETURN(report.cancel_seconds, MeasureCancels(options.workload, kNumCancels,
                                                                number, files, session->engine()));
  return WriteOut(options.json ? BenchJson(report) + "\n" : BenchTable(report));
}

void AddWorkloadOptions(CLI::App& command, BenchOptions& options) {
  command.add_option("--clients", options.clients, "How many ask at once, one run for each")
      ->delimiter(',')
      ->check(CLI::Range(size_t{1}, kMostClients))
      ->capture_default_str();
  command
      .add_option("--pictures", options.pictures,
                  "Picture sizes of the conversations, in turn, such as 336x336,1024x768; or none")
      ->delimiter(',')
      ->capture_default_str();
  BenchWorkload& workload = options.workload;
  AddWhole(command, "--conversations", workload.conversations, "Of each client", 1, kMostRounds)
      ->capture_default_str();
  AddWhole(command, "--turns", workload.turns, "Of each conversation", 1, kMostRounds)
      ->capture_default_str();
  AddWhole(command, "--prompt-tokens", workload.prompt_tokens, "Of each question, about", 1,
           kMostRounds)
      ->capture_default_str();
  AddWhole(command, "--answer-tokens", workload.answer_tokens, "Of each answer", 1, kMostRounds)
      ->capture_default_str();
  AddWhole(command, "--seed", workload.seed, "Of pictures and questions")->capture_default_str();
}

}  // namespace

Command AddBenchServe(CLI::App& app) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* bench = app.add_subcommand("bench", "Measure what this machine can do");
  bench->require_subcommand(1);
  CLI::App* serve = bench->add_subcommand("serve", "Many clients at the engine, without HTTP");
  AddWorkloadOptions(*serve, *options);
  serve->add_flag("--json", options->json, "Print one JSON document instead of a table");
  AddModelOptions(*serve, options->model);
  AddEngineOptions(*serve, options->engine);
  return {serve, [options] { return RunBenchServe(*options); }};
}

}  // namespace ocelli::cli
