#ifndef OCELLI_CLI_DOCTOR_REPORT_H_
#define OCELLI_CLI_DOCTOR_REPORT_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_features.h"
#include "base/huge_pages.h"
#include "base/machine_limits.h"
#include "cli/speed_forecast.h"

namespace ocelli::cli {

struct DoctorOptions {
  std::string model;  // as --model
  int threads = 0;    // 0: what is detected
  int port = 7860;
  bool verify = false;  // read all files of the model and compare their hashes
  bool json = false;
};

// An instruction set of this build or of others, and why its kernels do not run here.
struct SkippedTarget {
  std::string name;
  std::string why;
};

// Returns the instruction sets that kernels are written for but do not run on here.
std::vector<SkippedTarget> SkippedTargets();

// What a machine is, what it can do, and what Ocelli would do on it.
struct DoctorReport {
  std::string cpu;
  CpuFeatures features;
  std::string kernels;  // the target that is used
  std::vector<SkippedTarget> skipped;
  ThreadLimits threads;
  MemoryLimits memory;
  HugePageReport huge_pages;
  MachinePeaks peaks;
  double load = 0;  // programs that wanted to run during the last minute
  std::filesystem::path cache;
  std::optional<uint64_t> disk_free_bytes;
  int port = 0;
  std::string port_fault;  // empty: it is free

  std::filesystem::path model;  // empty: none was found
  std::string model_text;       // what it is
  std::string model_fault;      // why it cannot be run; empty: it can
  uint64_t weight_bytes = 0;
  uint64_t needed_bytes = 0;  // of memory, for one answer of a usual length
  std::string verified;       // what --verify found; empty: not asked
  bool verify_failed = false;
  std::optional<SpeedForecast> forecast;  // for a picture of 336 x 336 pixels
  size_t picture_tokens = 0;
};

// Examines the machine and the model; measures for about a second, and reads the whole model when
// `options.verify`. What it cannot find out is left empty. **Threads**: makes a pool of its own.
DoctorReport Examine(const DoctorOptions& options);

// Returns the lines that `ocelli doctor` prints, without line ends.
std::vector<std::string> ReportLines(const DoctorReport& report);

// Returns what would make it faster, or run at all, the most useful first; empty: nothing.
std::vector<std::string> Advice(const DoctorReport& report);

// Returns the report as a JSON document.
std::string ReportJson(const DoctorReport& report);

// Returns why TCP port `port` cannot be listened on, on all addresses; "" when it can.
std::string PortFault(int port);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_DOCTOR_REPORT_H_
