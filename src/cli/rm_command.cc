#include "cli/rm_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/byte_size.h"
#include "cli/terminal.h"
#include "hub/hub_settings.h"
#include "hub/model_cache.h"

namespace ocelli::cli {
namespace {

// All names are read before anything is deleted.
Status RunRm(const std::vector<std::string>& names) {
  OCELLI_ASSIGN_OR_RETURN(const hub::HubSettings settings, hub::HubSettings::FromEnvironment());
  std::vector<hub::RepoId> repos;
  for (const std::string& name : names) {
    OCELLI_ASSIGN_OR_RETURN(hub::RepoId repo, hub::ParseRepoId(name));
    repos.push_back(std::move(repo));
  }
  const hub::ModelCache cache(settings.cache_directory);
  for (const hub::RepoId& repo : repos) {
    OCELLI_ASSIGN_OR_RETURN(const uint64_t bytes, cache.Remove(repo));
    OCELLI_RETURN_IF_ERROR(
        WriteOut(fmt::format("deleted {} ({})\n", repo.Text(), DescribeBytes(bytes))));
  }
  return {};
}

}  // namespace

Command AddRm(CLI::App& app) {
  const auto names = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("rm", "Delete models that were fetched");
  command->add_option("model", *names, "Owner and name, as `ocelli models` lists them")->required();
  return {command, [names] { return RunRm(*names); }};
}

}  // namespace ocelli::cli
