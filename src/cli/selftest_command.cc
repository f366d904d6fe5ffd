#include "cli/selftest_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "base/cpu_features.h"
#include "base/machine_limits.h"
#include "cli/doctor_report.h"
#include "cli/terminal.h"
#include "kernels/self_check.h"
#include "kernels/targets.h"
#include "parallel/thread_pool.h"

namespace ocelli::cli {
namespace {

// Runs all kernels on all targets and tells what came of it.
class Selftest {
 public:
  Status Run() {
    OCELLI_RETURN_IF_ERROR(
        WriteOut(fmt::format("{}: {}\n", CpuModelName(), DescribeCpuFeatures(GetCpuFeatures()))));
    ThreadPool pool(DetectThreadLimits().threads);
    for (const Target target : RunnableTargets()) OCELLI_RETURN_IF_ERROR(Check(target, pool));
    for (const SkippedTarget& skipped : SkippedTargets()) {
      OCELLI_RETURN_IF_ERROR(
          WriteOut(fmt::format("{:<8}skipped: {}\n", skipped.name, skipped.why)));
    }
    if (wrong_.empty()) return {};
    return Error{ErrorCode::kInternal,
                 fmt::format("{} of {} checks failed, the first is {}; please report this CPU, and "
                             "take the instructions away with OCELLI_CPU meanwhile",
                             wrong_.size(), num_checks_, wrong_.front()),
                 "cpu"};
  }

 private:
  Status Check(Target target, ThreadPool& pool) {
    const ScopedTarget scope(target);
    const std::vector<KernelCheck> checks = CheckKernels(pool);
    const bool fused = target != Target::kScalar;
    if (fused && fused_.empty()) fused_ = checks;
    for (size_t i = 0; i < checks.size(); ++i) {
      const bool same = !fused || checks[i].checksum == fused_[i].checksum;
      OCELLI_RETURN_IF_ERROR(Tell(TargetName(target), checks[i], same));
    }
    return {};
  }

  Status Tell(std::string_view target, const KernelCheck& check, bool same_bits) {
    ++num_checks_;
    const char* verdict = !check.passed() ? "WRONG" : same_bits ? "ok" : "OTHER BITS";
    if (!check.passed() || !same_bits) {
      wrong_.push_back(fmt::format("{} on {}", check.kernel, target));
    }
    return WriteOut(
        fmt::format("{:<8}{:<33}{} ({:.2f} of the error that rounding allows, {} "
                    "results)\n",
                    target, check.kernel, verdict, check.worst, check.results));
  }

  std::vector<KernelCheck> fused_;  // of the best target with fused multiply-adds
  std::vector<std::string> wrong_;
  size_t num_checks_ = 0;
};

}  // namespace

Command AddSelftest(CLI::App& app) {
  CLI::App* command = app.add_subcommand("selftest", "Prove the kernels on this CPU");
  return {command, [] { return Selftest().Run(); }};
}

}  // namespace ocelli::cli
