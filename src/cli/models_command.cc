#include "cli/models_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/byte_size.h"
#include "base/printable.h"
#include "checkpoint/checkpoint.h"
#include "cli/checkpoint_summary.h"
#include "cli/model_location.h"
#include "cli/packed_cache.h"
#include "cli/terminal.h"
#include "hub/hub_settings.h"
#include "hub/model_cache.h"
#include "kernels/linear.h"

namespace ocelli::cli {
namespace {

constexpr size_t kMaxStateBytes = 300;

// A line of the list.
struct ModelRow {
  std::string name;
  uint64_t disk_bytes = 0;
  bool whole = false;
  std::string state;  // what it is, or what it lacks
  std::filesystem::path folder;
};

// Says what the model in `folder` is, or why it cannot be run; headers only are read.
void Describe(ModelRow& row) {
  Result<Checkpoint> checkpoint = Checkpoint::Open(row.folder);
  const Result<CheckpointSummary> summary = checkpoint.ok()
                                                ? Summarize(*checkpoint, FastestWeightFormat())
                                                : Result<CheckpointSummary>(checkpoint.error());
  row.whole = summary.ok();
  row.state = row.whole ? DescribeModel(*summary) : summary.error().message;
}

ModelRow RowOf(const hub::CachedModel& model) {
  ModelRow row{model.repo.Text(), model.disk_bytes, false, "", model.snapshot};
  if (!model.snapshot.empty()) Describe(row);
  if (model.snapshot.empty()) {
    row.state = fmt::format("unfinished ({}); `ocelli pull {}` goes on",
                            DescribeBytes(model.unfinished_bytes), row.name);
  }
  return row;
}

uint64_t FolderBytes(const std::filesystem::path& folder) {
  uint64_t bytes = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored)) bytes += it->file_size(ignored);
  }
  return bytes;
}

std::vector<ModelRow> Rows(const hub::HubSettings& settings) {
  std::vector<ModelRow> rows;
  if (const Result<std::filesystem::path> embedded = LocateEmbeddedModel(); embedded.ok()) {
    ModelRow row{"(embedded)", FolderBytes(*embedded), false, "", *embedded};
    Describe(row);
    rows.push_back(std::move(row));
  }
  for (const hub::CachedModel& model : hub::ModelCache(settings.cache_directory).List()) {
    rows.push_back(RowOf(model));
  }
  return rows;
}

std::string JsonText(const std::vector<ModelRow>& rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const ModelRow& row : rows) {
    list.push_back({{"name", row.name},
                    {"bytes", row.disk_bytes},
                    {"whole", row.whole},
                    {"state", Printable(row.state, kMaxStateBytes)},
                    {"folder", Printable(row.folder.string(), kMaxStateBytes)}});
  }
  return list.dump(2) + "\n";
}

std::string TableText(const std::vector<ModelRow>& rows, const hub::HubSettings& settings) {
  size_t width = 0;
  for (const ModelRow& row : rows) width = std::max(width, row.name.size());
  std::string text;
  for (const ModelRow& row : rows) {
    text += fmt::format("{:<{}}  {:>10}  {}\n", row.name, width, DescribeBytes(row.disk_bytes),
                        Printable(row.state, kMaxStateBytes));
  }
  text += fmt::format("models are kept in {}\n",
                      Printable(settings.cache_directory.string(), kMaxStateBytes));
  const Result<PackedCache> packed = PackedCache::Open();
  if (!packed.ok() || packed->SizeBytes() == 0) return text;
  return text + fmt::format("converted weights take {} in {}; `ocelli rm --packed` deletes them\n",
                            DescribeBytes(packed->SizeBytes()),
                            Printable(packed->directory().string(), kMaxStateBytes));
}

Status RunModels(bool json) {
  OCELLI_ASSIGN_OR_RETURN(const hub::HubSettings settings, hub::HubSettings::FromEnvironment());
  const std::vector<ModelRow> rows = Rows(settings);
  return WriteOut(json ? JsonText(rows) : TableText(rows, settings));
}

}  // namespace

Command AddModels(CLI::App& app) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("models", "List the models that are here");
  command->add_flag("--json", *json, "Print a JSON list");
  return {command, [json] { return RunModels(*json); }};
}

}  // namespace ocelli::cli
