#include "cli/doctor_report.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/byte_size.h"
#include "base/descriptor.h"
#include "base/disk.h"
#include "base/printable.h"
#include "checkpoint/checkpoint.h"
#include "cli/checkpoint_summary.h"
#include "cli/model_location.h"
#include "engine/memory_budget.h"
#include "engine/qwen_runner.h"
#include "hub/blob_download.h"
#include "hub/hub_settings.h"
#include "kernels/linear.h"
#include "kernels/peaks.h"
#include "kernels/targets.h"
#include "picture/size_rule.h"

namespace ocelli::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kMeasureSeconds = 0.3;
constexpr uint64_t kReadBytes = uint64_t{256} << 20;
constexpr int kPictureSidePx = 336;
constexpr size_t kQuestionTokens = 30;
constexpr size_t kUsualContextTokens = 2048;
constexpr size_t kMaxTextBytes = 500;

std::string WhySkipped(Target target) {
  if (!IsBuilt(target)) return "not in this build";
  const char* mask = std::getenv("OCELLI_CPU");
  return mask == nullptr
             ? "this CPU or its system lacks the instructions"
             : fmt::format("the CPU lacks the instructions, or OCELLI_CPU={} takes them", mask);
}

void ExamineCpu(DoctorReport& report) {
  report.cpu = CpuModelName();
  report.features = GetCpuFeatures();
  report.kernels = TargetName(ActiveTarget());
  report.skipped = SkippedTargets();
}

void MeasurePeaks(DoctorReport& report) {
  if (getloadavg(&report.load, 1) != 1) report.load = 0;  // before we add to it
  ThreadPool pool(report.threads.threads);
  report.peaks.flops = MeasureFmaPeak(kMeasureSeconds, pool);
  const uint64_t bytes = std::min(kReadBytes, report.memory.UsableBytes() / 4);
  if (bytes == 0) return;
  ReadBuffer buffer(bytes, pool);
  report.peaks.bytes_per_second = buffer.MeasureBandwidth(kMeasureSeconds, pool);
}

void ExamineDisk(DoctorReport& report) {
  const Result<hub::HubSettings> settings = hub::HubSettings::FromEnvironment();
  if (!settings.ok()) return;
  report.cache = settings->cache_directory;
  if (const auto free = FreeDiskBytes(report.cache); free.ok()) report.disk_free_bytes = *free;
}

// Compares each file with the hash that its blob is named by.
void Verify(const fs::path& folder, DoctorReport& report) {
  size_t right = 0;
  std::vector<std::string> wrong;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const fs::path blob = fs::read_symlink(it->path(), error);
    const hub::FileDigest digest = hub::ParseDigest(blob.filename().string());
    if (digest.hex.empty()) continue;
    const uint64_t size = fs::file_size(it->path(), error);
    const Status same = hub::VerifyFile(it->path(), size, digest, [](uint64_t) { return false; });
    if (same.ok()) ++right;
    if (!same.ok()) wrong.push_back(same.error().message);
  }
  report.verify_failed = !wrong.empty();
  if (!wrong.empty()) {
    report.verified = wrong.front();
  } else if (right == 0) {
    report.verified = "a folder without a hub's hashes: only its shapes and sizes can be checked";
  } else {
    report.verified = fmt::format("{} files have the hashes of the hub", right);
  }
}

void Forecast(const Checkpoint& checkpoint, DoctorReport& report) {
  const ProcessorOptions processor = ProcessorOptionsOf(checkpoint.preprocessor_config());
  const Result<SizePx> size = ChooseSize({kPictureSidePx, kPictureSidePx}, processor, {});
  if (!size.ok() || report.peaks.flops <= 0 || report.peaks.bytes_per_second <= 0) return;
  report.picture_tokens = NumImageTokens(*size, processor);
  report.forecast = ForecastSpeed(checkpoint.config(), report.weight_bytes,
                                  {report.picture_tokens, kQuestionTokens}, report.peaks);
}

Status ExamineModel(const DoctorOptions& options, DoctorReport& report) {
  OCELLI_ASSIGN_OR_RETURN(report.model, LocateModel(options.model, /*pull=*/false));
  OCELLI_ASSIGN_OR_RETURN(const Checkpoint checkpoint, Checkpoint::Open(report.model));
  OCELLI_ASSIGN_OR_RETURN(const CheckpointSummary summary,
                          Summarize(checkpoint, FastestWeightFormat()));
  report.model_text = DescribeModel(summary);
  report.weight_bytes = summary.weight_bytes;
  if (options.verify) Verify(report.model, report);
  Forecast(checkpoint, report);
  EngineOptions engine;
  engine.max_context_tokens = kUsualContextTokens;
  ModelMemory memory =
      Estimate(checkpoint.config(), PlanModel(engine, checkpoint.config()), report.threads.threads);
  memory.weight_bytes = summary.weight_bytes;
  report.needed_bytes = memory.FixedBytes();
  OCELLI_RETURN_IF_ERROR(PlanMemory(report.memory, memory, kUsualContextTokens, engine));
  return {};
}

std::string Line(std::string_view label, std::string_view text) {
  return fmt::format("{:<11}{}", label, Printable(text, kMaxTextBytes));
}

std::string MemoryText(const MemoryLimits& memory) {
  std::string text = fmt::format("{} can be had of {}", DescribeBytes(memory.UsableBytes()),
                                 DescribeBytes(memory.machine_bytes));
  if (memory.cgroup_bytes) {
    text += fmt::format(" (cgroup limit {})", DescribeBytes(*memory.cgroup_bytes));
  }
  if (memory.rlimit_free_bytes) {
    text += fmt::format(" (ulimit leaves {})", DescribeBytes(*memory.rlimit_free_bytes));
  }
  return text;
}

std::string PeaksText(const MachinePeaks& peaks) {
  return fmt::format("{:.0f} GFLOP/s in registers, {:.1f} GB/s from memory", peaks.flops / 1e9,
                     peaks.bytes_per_second / 1e9);
}

std::string HugePagesText(const HugePageReport& report) {
  if (report.system_mode.empty()) return "this kernel has none";
  return fmt::format("the system's setting is \"{}\"", report.system_mode);
}

// Returns two digits that count: "0.19", "7.5", "81", "750".
std::string Rough(double value) {
  const int decimals = value < 0.995 ? 2 : value < 9.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string ForecastText(const DoctorReport& report) {
  const SpeedForecast& forecast = *report.forecast;
  return fmt::format(
      "about {} s to the first token of a {} x {} picture ({} tokens: {} s to encode, "
      "{} s to read), then {} tokens a second",
      Rough(forecast.first_token_seconds()), kPictureSidePx, kPictureSidePx, report.picture_tokens,
      Rough(forecast.encode_seconds), Rough(forecast.prefill_seconds),
      Rough(1 / forecast.token_seconds));
}

void AddModelLines(const DoctorReport& report, std::vector<std::string>& lines) {
  if (!report.model.empty()) lines.push_back(Line("model", report.model.string()));
  if (!report.model_text.empty()) lines.push_back(Line("", report.model_text));
  if (!report.verified.empty()) lines.push_back(Line("verified", report.verified));
  if (report.needed_bytes > 0) {
    lines.push_back(Line("needs", fmt::format("{} of memory, of which {} are weights, and more for "
                                              "long contexts",
                                              DescribeBytes(report.needed_bytes),
                                              DescribeBytes(report.weight_bytes))));
  }
  if (!report.model_fault.empty()) lines.push_back(Line("fault", report.model_fault));
  if (report.forecast) lines.push_back(Line("speed", ForecastText(report)));
}

}  // namespace

std::vector<SkippedTarget> SkippedTargets() {
  std::vector<SkippedTarget> skipped;
  const auto runnable = RunnableTargets();
  for (const Target target : kAllTargets) {
    if (std::find(runnable.begin(), runnable.end(), target) != runnable.end()) continue;
    skipped.push_back({std::string(TargetName(target)), WhySkipped(target)});
  }
  return skipped;
}

std::string PortFault(int port) {
  const Descriptor socket_fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;  // as the server does: a port whose last user just left is free
  setsockopt(socket_fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  address.sin_port = htons(static_cast<uint16_t>(port));
  const bool bound =
      bind(socket_fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
      listen(socket_fd.get(), 1) == 0;
  return bound ? "" : std::strerror(errno);
}

DoctorReport Examine(const DoctorOptions& options) {
  DoctorReport report;
  ExamineCpu(report);
  report.threads = DetectThreadLimits();
  if (options.threads > 0) report.threads.SetByHand(options.threads);
  report.memory = DetectMemoryLimits();
  report.huge_pages = ReadHugePages();
  MeasurePeaks(report);
  ExamineDisk(report);
  report.port = options.port;
  report.port_fault = PortFault(options.port);
  const Status model = ExamineModel(options, report);
  if (!model.ok()) report.model_fault = model.error().message;
  return report;
}

std::vector<std::string> ReportLines(const DoctorReport& report) {
  std::vector<std::string> lines = {
      Line("cpu", fmt::format("{}: {}", report.cpu, DescribeCpuFeatures(report.features))),
      Line("kernels", report.kernels)};
  for (const SkippedTarget& skipped : report.skipped) {
    lines.push_back(Line("", fmt::format("not {}: {}", skipped.name, skipped.why)));
  }
  lines.push_back(Line("threads", report.threads.Describe()));
  lines.push_back(Line("memory", MemoryText(report.memory)));
  lines.push_back(Line("huge pages", HugePagesText(report.huge_pages)));
  lines.push_back(Line("measured", PeaksText(report.peaks)));
  if (report.disk_free_bytes) {
    lines.push_back(
        Line("disk", fmt::format("{} free for models in {}", DescribeBytes(*report.disk_free_bytes),
                                 report.cache.string())));
  }
  lines.push_back(
      Line("port", report.port_fault.empty()
                       ? fmt::format("{} is free", report.port)
                       : fmt::format("{} cannot be used: {}", report.port, report.port_fault)));
  AddModelLines(report, lines);
  for (const std::string& advice : Advice(report)) lines.push_back(Line("advice", advice));
  return lines;
}

std::vector<std::string> Advice(const DoctorReport& report) {
  std::vector<std::string> advice;
  const ThreadLimits& threads = report.threads;
  if (report.verify_failed) advice.push_back("run `ocelli pull` again: a file is damaged");
  if (!report.port_fault.empty()) advice.push_back("give `ocelli serve` another --port");
  if (report.load > threads.allowed_cpus) {
    advice.push_back(
        fmt::format("the machine is busy (load {:.1f} on {} CPUs), so what was measured "
                    "is too low: ask again when it is idle",
                    report.load, threads.allowed_cpus));
  }
  if (report.kernels == "scalar" && std::getenv("OCELLI_CPU") == nullptr) {
    advice.push_back(
        "this CPU has no AVX2, or a virtual machine hides it: give the machine the host's CPU "
        "model, which makes answers about ten times faster");
  }
  if (threads.quota_cpus && *threads.quota_cpus < threads.physical_cores) {
    advice.push_back(fmt::format("the cgroup's CPU quota ({:.2f}) is below the {} cores: raise it",
                                 *threads.quota_cpus, threads.physical_cores));
  }
  if (threads.by_hand && threads.threads > threads.physical_cores) {
    advice.push_back(fmt::format("{} threads on {} cores slow each other down: leave --threads out",
                                 threads.threads, threads.physical_cores));
  }
  if (report.huge_pages.system_mode == "never") {
    advice.push_back(
        "allow transparent huge pages (echo madvise > "
        "/sys/kernel/mm/transparent_hugepage/enabled): "
        "they save address look-ups while weights stream by");
  }
  if (report.needed_bytes > 0 && report.needed_bytes > report.memory.UsableBytes() / 4 * 3) {
    advice.push_back("memory is tight: free some, or use --kv-type bf16 and smaller pictures");
  }
  if (report.forecast && report.forecast->encode_seconds > 2) {
    advice.push_back("ask about smaller pictures (--max-side 336): encoding grows with the area");
  }
  return advice;
}

std::string ReportJson(const DoctorReport& report) {
  const auto text = [](const std::string& string) { return Printable(string, kMaxTextBytes); };
  nlohmann::json skipped = nlohmann::json::object();
  for (const SkippedTarget& target : report.skipped) skipped[target.name] = text(target.why);
  nlohmann::json json = {{"cpu", text(report.cpu)},
                         {"features", DescribeCpuFeatures(report.features)},
                         {"kernels", report.kernels},
                         {"skipped_kernels", skipped},
                         {"threads", report.threads.threads},
                         {"threads_why", report.threads.Describe()},
                         {"memory_usable_bytes", report.memory.UsableBytes()},
                         {"memory_machine_bytes", report.memory.machine_bytes},
                         {"huge_pages", report.huge_pages.system_mode},
                         {"load", report.load},
                         {"peak_flops", report.peaks.flops},
                         {"peak_read_bytes_per_second", report.peaks.bytes_per_second},
                         {"cache", text(report.cache.string())},
                         {"port", report.port},
                         {"port_free", report.port_fault.empty()},
                         {"model", text(report.model.string())},
                         {"model_is", report.model_text},
                         {"model_fault", text(report.model_fault)},
                         {"model_needs_bytes", report.needed_bytes},
                         {"verified", text(report.verified)},
                         {"advice", Advice(report)}};
  if (report.disk_free_bytes) json["disk_free_bytes"] = *report.disk_free_bytes;
  if (report.forecast) {
    json["picture_tokens"] = report.picture_tokens;
    json["first_token_seconds"] = report.forecast->first_token_seconds();
    json["tokens_per_second"] = 1 / report.forecast->token_seconds;
  }
  return json.dump(2) + "\n";
}

}  // namespace ocelli::cli
