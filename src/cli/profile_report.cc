#include "cli/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ocelli::cli {
namespace {

using nlohmann::ordered_json;

constexpr double kGiga = 1e9;

// All kernels of a phase as one; what no kernel accounts for is in its seconds too.
KernelTime Total(const PhaseProfile& phase) {
  KernelTime total{{"all"}, 1, phase.seconds};
  for (const KernelTime& kernel : phase.kernels) {
    total.work.flops += kernel.work.flops;
    total.work.bytes += kernel.work.bytes;
  }
  return total;
}

// Returns the share of the limit of all kernels, each with its own limit.
double ShareOfLimit(const PhaseProfile& phase) {
  double seconds = 0;
  for (const KernelTime& kernel : phase.kernels) seconds += LimitSeconds(kernel.work, phase);
  return seconds / phase.seconds;
}

// Returns `value`, or nothing where a kernel has no such work.
std::string Figure(double value, int digits) {
  return value > 0 ? fmt::format("{:.{}f}", value, digits) : "";
}

std::string KernelRow(const KernelTime& kernel, const PhaseProfile& phase, double of_limit) {
  return fmt::format("  {:<20}{:>7}{:>10.2f}{:>8.1f}{:>10}{:>8}{:>9}\n", kernel.work.name,
                     kernel.calls, kernel.seconds * 1e3, kernel.seconds / phase.seconds * 100,
                     Figure(kernel.work.flops / kernel.seconds / kGiga, 1),
                     Figure(kernel.work.bytes / kernel.seconds / kGiga, 1),
                     Figure(of_limit * 100, 0));
}

std::string PhaseTable(const PhaseProfile& phase) {
  std::string table = fmt::format(
      "{}: {:.1f} ms; the machine's limit meanwhile: {:.1f} GFLOP/s of multiply-adds, {:.1f} GB/s "
      "of reads\n  {:<20}{:>7}{:>10}{:>8}{:>10}{:>8}{:>9}\n",
      phase.name, phase.seconds * 1e3, phase.fma_flops_per_second / kGiga,
      phase.read_bytes_per_second / kGiga, "kernel", "calls", "ms", "% time", "GFLOP/s", "GB/s",
      "% limit");
  for (const KernelTime& kernel : phase.kernels) {
    table += KernelRow(kernel, phase, LimitSeconds(kernel.work, phase) / kernel.seconds);
  }
  return table + KernelRow(Total(phase), phase, ShareOfLimit(phase));
}

ordered_json KernelJson(const KernelTime& kernel, double of_limit) {
  return {{"kernel", kernel.work.name}, {"calls", kernel.calls},      {"seconds", kernel.seconds},
          {"flops", kernel.work.flops}, {"bytes", kernel.work.bytes}, {"of_limit", of_limit}};
}

ordered_json PhaseJson(const PhaseProfile& phase) {
  ordered_json document = {{"phase", phase.name},
                           {"seconds", phase.seconds},
                           {"fma_flops_per_second", phase.fma_flops_per_second},
                           {"read_bytes_per_second", phase.read_bytes_per_second},
                           {"of_limit", ShareOfLimit(phase)},
                           {"kernels", ordered_json::array()}};
  for (const KernelTime& kernel : phase.kernels) {
    document["kernels"].push_back(
        KernelJson(kernel, LimitSeconds(kernel.work, phase) / kernel.seconds));
  }
  return document;
}

}  // namespace

double LimitSeconds(const KernelWork& work, const PhaseProfile& phase) {
  return std::max(work.flops / phase.fma_flops_per_second,
                  work.bytes / phase.read_bytes_per_second);
}

std::string ProfileTable(std::span<const PhaseProfile> phases) {
  std::string tables;
  for (const PhaseProfile& phase : phases) {
    tables += PhaseTable(phase) + (&phase == &phases.back() ? "" : "\n");
  }
  return tables;
}

std::string ProfileJson(std::span<const PhaseProfile> phases) {
  ordered_json document = {{"phases", ordered_json::array()}};
  for (const PhaseProfile& phase : phases) document["phases"].push_back(PhaseJson(phase));
  return document.dump(2);
}

}  // namespace ocelli::cli
