#include "cli/pack_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "base/byte_size.h"
#include "base/disk.h"
#include "base/machine_limits.h"
#include "checkpoint/checkpoint.h"
#include "cli/model_location.h"
#include "cli/packed_cache.h"
#include "cli/progress_line.h"
#include "cli/terminal.h"
#include "kernels/linear.h"
#include "model/weight_compare.h"
#include "parallel/thread_pool.h"

namespace ocelli::cli {
namespace {

struct PackOptions {
  std::string model;
  std::string weights = "auto";
  std::string path;
  bool verify = false;
};

Result<std::filesystem::path> PathFor(const PackOptions& options, const Checkpoint& checkpoint,
                                      WeightFormat format) {
  if (!options.path.empty()) return std::filesystem::path(options.path);
  OCELLI_ASSIGN_OR_RETURN(const PackedCache cache, PackedCache::Open());
  return cache.PathOf(checkpoint, format);
}

LoadProgress Shown(ProgressLine& line, const char* what) {
  return [&line, what](size_t done, size_t total) {
    line.Show(fmt::format("{} {} of {} tensors", what, done, total));
  };
}

Status RunPack(const PackOptions& options) {
  OCELLI_ASSIGN_OR_RETURN(const auto directory, LocateModel(options.model, /*pull=*/false));
  OCELLI_ASSIGN_OR_RETURN(Checkpoint checkpoint, Checkpoint::Open(directory));
  OCELLI_RETURN_IF_ERROR(checkpoint.CheckComplete());
  const WeightFormat format = WeightFormatNamed(options.weights);
  OCELLI_ASSIGN_OR_RETURN(const auto path, PathFor(options, checkpoint, format));
  ThreadPool pool(DetectThreadLimits().threads);
  ProgressLine line(true);
  OCELLI_ASSIGN_OR_RETURN(ModelWeights weights,
                          WeightsPackedAt(path, checkpoint, format, pool, Shown(line, "packing")));
  if (options.verify) {
    OCELLI_ASSIGN_OR_RETURN(const uint64_t compared,
                            CompareWeights(checkpoint, weights, pool, Shown(line, "comparing")));
    line.Clear();
    Say(fmt::format("ocelli: {} numbers are exactly those of {}", compared, directory.string()));
  }
  line.Clear();
  Say(fmt::format("ocelli: the weights as {} take {} in memory, {} on the disk",
                  WeightFormatName(format), DescribeBytes(weights.size_bytes()),
                  DescribeBytes(DiskBytesOf(path))));
  return WriteOut(path.string() + "\n");
}

}  // namespace

Command AddPack(CLI::App& app) {
  const auto options = std::make_shared<PackOptions>();
  CLI::App* command = app.add_subcommand(
      "pack", "Convert a model's weights once, for quick starts; the first start does it too");
  command->add_option("model", options->model,
                      "A model of `ocelli models` or the folder of a checkpoint (default: the "
                      "embedded model)");
  command
      ->add_option("--weights", options->weights,
                   "packed12, bf16, float32, or auto (default: the fastest here)")
      ->check(CLI::IsMember({"auto", "packed12", "bf16", "float32"}));
  command->add_option("--packed", options->path,
                      "The file to write (default: in $XDG_CACHE_HOME/ocelli)");
  command->add_flag("--verify", options->verify,
                    "Compare every number with the published one, bit by bit");
  return {command, [options] { return RunPack(*options); }};
}

}  // namespace ocelli::cli
