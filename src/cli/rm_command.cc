#include "cli/rm_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/byte_size.h"
#include "cli/packed_cache.h"
#include "cli/terminal.h"
#include "hub/hub_settings.h"
#include "hub/model_cache.h"

namespace ocelli::cli {
namespace {

struct RmOptions {
  std::vector<std::string> names;
  bool packed = false;
};

Status RemovePacked() {
  OCELLI_ASSIGN_OR_RETURN(const PackedCache cache, PackedCache::Open());
  OCELLI_ASSIGN_OR_RETURN(const uint64_t bytes, cache.Clear());
  return WriteOut(fmt::format("deleted packed weights ({})\n", DescribeBytes(bytes)));
}

// All names are read before anything is deleted.
Status RunRm(const RmOptions& options) {
  if (options.names.empty() && !options.packed) {
    return Error{ErrorCode::kInvalidArgument, "name a model, or --packed", "model"};
  }
  OCELLI_ASSIGN_OR_RETURN(const hub::HubSettings settings, hub::HubSettings::FromEnvironment());
  std::vector<hub::RepoId> repos;
  for (const std::string& name : options.names) {
    OCELLI_ASSIGN_OR_RETURN(hub::RepoId repo, hub::ParseRepoId(name));
    repos.push_back(std::move(repo));
  }
  const hub::ModelCache cache(settings.cache_directory);
  for (const hub::RepoId& repo : repos) {
    OCELLI_ASSIGN_OR_RETURN(const uint64_t bytes, cache.Remove(repo));
    OCELLI_RETURN_IF_ERROR(
        WriteOut(fmt::format("deleted {} ({})\n", repo.Text(), DescribeBytes(bytes))));
  }
  return options.packed ? RemovePacked() : Status();
}

}  // namespace

Command AddRm(CLI::App& app) {
  const auto options = std::make_shared<RmOptions>();
  CLI::App* command = app.add_subcommand("rm", "Delete models that were fetched");
  command->add_option("model", options->names, "Owner and name, as `ocelli models` lists them");
  command->add_flag("--packed", options->packed,
                    "Delete converted weights too; the next start of a model makes them again");
  return {command, [options] { return RunRm(*options); }};
}

}  // namespace ocelli::cli
