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
#include "cli/model_profile.h"
#include "cli/option_groups.h"
#include "cli/profile_report.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "cli/whole_number.h"

namespace ocelli::cli {
namespace {

constexpr size_t kMostClients = 1024;
constexpr size_t kMostRounds = 1'000'000;
constexpr size_t kMostPassTokens = 8192;
constexpr size_t kNumCancels = 5;

struct BenchOptions {
  ModelOptions model;
  EngineOptions engine;
  BenchWorkload workload;
  std::vector<size_t> clients = {1, 2, 4, 8};
  std::vector<std::string> pictures = {"336x336"};
  bool json = false;
};

struct ProfileOptions {
  bool wanted = false;
  ModelOptions model;
  ProfileWorkload workload;
  std::vector<std::string> pictures = {"336x336"};
  bool json = false;
};

Result<std::vector<SizePx>> ReadPictures(const std::vector<std::string>& sizes) {
  std::vector<SizePx> pictures;
  for (const std::string& text : sizes) {
    OCELLI_ASSIGN_OR_RETURN(const SizePx size, ParsePictureSize(text));
    pictures.push_back(size);
  }
  return pictures;
}

Status RunBenchServe(BenchOptions& options) {
  OCELLI_ASSIGN_OR_RETURN(options.workload.pictures, ReadPictures(options.pictures));
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

Status RunProfile(ProfileOptions& options) {
  OCELLI_ASSIGN_OR_RETURN(options.workload.pictures, ReadPictures(options.pictures));
  std::erase(options.workload.pictures, SizePx{});
  OCELLI_ASSIGN_OR_RETURN(SessionFiles files, OpenSessionFiles(options.model));
  ThreadPool pool(files.threads.threads);
  OCELLI_ASSIGN_OR_RETURN(const auto phases, ProfileModel(options.workload, files, pool));
  return WriteOut(options.json ? ProfileJson(phases) + "\n" : ProfileTable(phases));
}

void AddJson(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "Print one JSON document instead of a table");
}

void AddPictures(CLI::App& command, std::vector<std::string>& sizes, const char* help) {
  command.add_option("--pictures", sizes, help)->delimiter(',')->capture_default_str();
}

void AddWorkloadOptions(CLI::App& command, BenchOptions& options) {
  command.add_option("--clients", options.clients, "How many ask at once, one run for each")
      ->delimiter(',')
      ->check(CLI::Range(size_t{1}, kMostClients))
      ->capture_default_str();
  AddPictures(command, options.pictures,
              "Picture sizes of the conversations, in turn, such as 336x336,1024x768; or none");
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

CLI::App* AddServe(CLI::App& bench, BenchOptions& options) {
  CLI::App* serve = bench.add_subcommand("serve", "Many clients at the engine, without HTTP");
  AddWorkloadOptions(*serve, options);
  AddJson(*serve, options.json);
  AddModelOptions(*serve, options.model);
  AddEngineOptions(*serve, options.engine);
  return serve;
}

void AddProfileOptions(CLI::App& bench, ProfileOptions& options) {
  bench.add_flag("--profile", options.wanted,
                 "Where the time of a pass goes, kernel by kernel, beside the machine's limits");
  AddPictures(bench, options.pictures, "With --profile: picture sizes to encode, or none");
  bench
      .add_option("--prompt-tokens", options.workload.prompt_tokens,
                  "With --profile: prompts to read, one pass each")
      ->delimiter(',')
      ->check(CLI::Range(size_t{1}, kMostPassTokens))
      ->capture_default_str();
  AddWhole(bench, "--context", options.workload.context_tokens,
           "With --profile: tokens behind which one is written", 0, kMostPassTokens)
      ->capture_default_str();
  AddWhole(bench, "--repeats", options.workload.repeats,
           "With --profile: passes of each kind, of which the median is shown", 1, kMostRounds)
      ->capture_default_str();
  AddJson(bench, options.json);
  AddModelOptions(bench, options.model);
}

// Options of `bench` itself mean nothing to a subcommand that has its own.
Status RefuseOptionsOf(const CLI::App& bench) {
  for (const CLI::Option* option : bench.get_options()) {
    if (option->count() == 0) continue;
    return Error{
        ErrorCode::kInvalidArgument,
        "options of ocelli bench serve stand behind serve, not before it: " + option->get_name(),
        "bench"};
  }
  return {};
}

}  // namespace

Command AddBench(CLI::App& app) {
  CLI::App* bench = app.add_subcommand("bench", "Measure what this machine can do");
  bench->require_subcommand(0, 1);
  const auto profile = std::make_shared<ProfileOptions>();
  AddProfileOptions(*bench, *profile);
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* serve = AddServe(*bench, *options);
  return {bench, [=]() -> Status {
            if (serve->parsed()) {
              OCELLI_RETURN_IF_ERROR(RefuseOptionsOf(*bench));
              return RunBenchServe(*options);
            }
            if (profile->wanted) return RunProfile(*profile);
            return Error{ErrorCode::kInvalidArgument,
                         "ocelli bench wants serve or --profile; ocelli bench --help tells more",
                         "bench"};
          }};
}

}  // namespace ocelli::cli
