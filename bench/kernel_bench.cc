// Measures Linear on the shapes of the 2B model against what the machine can do at the same moment:
// many rows against the multiply-add peak, few rows against the read bandwidth.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_features.h"
#include "kernels/linear.h"
#include "kernels/packed_matrix.h"
#include "kernels/peaks.h"
#include "kernels/targets.h"
#include "parallel/thread_pool.h"

namespace ocelli {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  int threads = 2;
  int repeats = 5;
  double seconds = 0.03;  // of one measurement
  std::vector<size_t> rows;
  std::string layer;  // part of the names of the shapes that are measured
  std::string target;
  bool packed12 = false;  // weights in 12 bits
  bool json = false;
};

struct Shape {
  const char* name;
  size_t num_inputs, num_outputs;
  std::vector<size_t> rows;
};

// Linear layers of the 2B model: the vision encoder sees patches, the decoder prompt chunks or
// steps.
const std::vector<Shape>& Shapes() {
  static const std::vector<Shape> shapes = {
      {"vision qkv", 1024, 3072, {441, 1200, 3072}},
      {"vision proj", 1024, 1024, {441, 1200, 3072}},
      {"vision fc1", 1024, 4096, {441, 1200, 3072}},
      {"vision fc2", 4096, 1024, {441, 1200, 3072}},
      {"text qkv", 2048, 4096, {1, 2, 4, 8, 16, 20, 24, 32, 48, 64, 128, 256, 512}},
      {"text o", 2048, 2048, {1, 2, 4, 8, 16, 20, 24, 32, 48, 64, 128, 256, 512}},
      {"text gate up", 2048, 12288, {1, 2, 4, 8, 16, 20, 24, 32, 48, 64, 128, 256, 512}},
      {"text down", 6144, 2048, {1, 2, 4, 8, 16, 20, 24, 32, 48, 64, 128, 256, 512}},
      {"lm head", 2048, 151936, {1}},
  };
  return shapes;
}

// Copies of one weight matrix, so many that no cache holds them, used in turn.
class ColdMatrices {
 public:
  ColdMatrices(const Shape& shape, size_t total_bytes, bool packed12, ThreadPool& pool) {
    const size_t bytes = shape.num_inputs * shape.num_outputs * 2;
    TensorView rows{DType::kBf16, {shape.num_outputs, shape.num_inputs}, {}};
    std::vector<uint16_t> numbers(shape.num_inputs * shape.num_outputs);
    std::minstd_rand random(1);
    for (uint16_t& n : numbers) n = static_cast<uint16_t>(0x3C00u | (random() & 0x80FFu));
    rows.bytes = std::as_bytes(std::span(numbers));
    for (size_t i = 0; i < std::max<size_t>(1, (total_bytes + bytes - 1) / bytes); ++i) {
      PackedMatrix matrix(shape.num_outputs, shape.num_inputs, WeightFormat::kBf16);
      matrix.SetRows(0, rows, pool);
      matrices_.push_back(packed12 ? matrix.Compressed(pool) : std::move(matrix));
    }
  }
  const PackedMatrix& Next() { return matrices_[next_++ % matrices_.size()]; }

 private:
  std::vector<PackedMatrix> matrices_;
  size_t next_ = 0;
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Figure {
  double rate = 0;     // operations or bytes per second
  double of_peak = 0;  // median ratio to the peak measured beside it
  double call_ms = 0;
};

// Calls `body` until `seconds` have passed; returns seconds per call.
template <class Body>
double SecondsPerCall(double seconds, const Body& body) {
  size_t calls = 0;
  const Clock::time_point start = Clock::now();
  double elapsed = 0;
  while (elapsed < seconds) {
    body();
    ++calls;
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return elapsed / static_cast<double>(calls);
}

// Measures `body` and `peak` in turns; `work` is what one call does.
template <class Body, class Peak>
Figure Compare(const Options& options, double work, const Body& body, const Peak& peak) {
  std::vector<double> rates, ratios, times;
  body();
  for (int i = 0; i < options.repeats; ++i) {
    const double before = peak();
    const double time = SecondsPerCall(options.seconds, body);
    const double after = peak();
    times.push_back(time * 1e3);
    rates.push_back(work / time);
    ratios.push_back(work / time / ((before + after) / 2));
  }
  return {Median(rates), Median(ratios), Median(times)};
}

class Bench {
 public:
  explicit Bench(const Options& options)
      : options_(options), pool_(options.threads), read_(size_t{1} << 30, pool_) {}

  void Run() {
    Header();
    for (const Shape& shape : Shapes()) RunShape(shape);
    if (options_.json) fmt::print("{}\n", results_.dump(1));
  }

 private:
  double FmaPeak() { return MeasureFmaPeak(options_.seconds / 3, pool_); }
  double ReadPeak() { return read_.MeasureBandwidth(options_.seconds, pool_); }

  void Header() {
    std::vector<double> fma, read;
    for (int i = 0; i < options_.repeats; ++i) {
      fma.push_back(FmaPeak());
      read.push_back(ReadPeak());
    }
    results_ = {{"cpu", CpuModelName()},
                {"target", TargetName(ActiveTarget())},
                {"threads", options_.threads},
                {"fma_peak_flops", Median(fma)},
                {"read_peak_bytes_per_s", Median(read)},
                {"linear", nlohmann::json::array()}};
    if (options_.json) return;
    fmt::print("{}, {}, {} threads: multiply-add {:.1f} GFLOP/s, read {:.2f} GB/s\n",
               CpuModelName(), TargetName(ActiveTarget()), options_.threads, Median(fma) * 1e-9,
               Median(read) * 1e-9);
    fmt::print("{:<14}{:>6}{:>8}{:>6} {:>10} {:>9} {:>7} {:>8} {:>7}\n", "layer", "K", "N", "M",
               "ms", "GFLOP/s", "% peak", "GB/s", "% read");
  }

  void RunShape(const Shape& shape) {
    if (std::string_view(shape.name).find(options_.layer) == std::string_view::npos) return;
    ColdMatrices weights(shape, size_t{1} << 30, options_.packed12, pool_);
    for (const size_t rows : options_.rows.empty() ? shape.rows : options_.rows) {
      RunCase(shape, rows, weights);
    }
  }

  void RunCase(const Shape& shape, size_t rows, ColdMatrices& weights) {
    LinearScratch scratch(rows, shape.num_inputs, options_.threads);
    Mat<float> x(rows, shape.num_inputs), y(rows, shape.num_outputs);
    for (size_t i = 0; i < rows * shape.num_inputs; ++i) {
      x.data()[i] = static_cast<float>(i % 17) * 0.1f - 0.8f;
    }
    const auto body = [&] {
      Linear(x.view(), weights.Next(), nullptr, y.view(), LinearMode::kStore, scratch, pool_);
    };
    const double weights_count = static_cast<double>(shape.num_inputs * shape.num_outputs);
    const double flops = 2 * weights_count * static_cast<double>(rows);
    const double bytes = (options_.packed12 ? 1.5 : 2) * weights_count;
    const Figure compute = Compare(options_, flops, body, [&] { return FmaPeak(); });
    Figure read;
    if (rows <= 16) read = Compare(options_, bytes, body, [&] { return ReadPeak(); });
    Report(shape, rows, compute, read);
  }

  void Report(const Shape& shape, size_t rows, const Figure& compute, const Figure& read) {
    results_["linear"].push_back({{"layer", shape.name},
                                  {"inputs", shape.num_inputs},
                                  {"outputs", shape.num_outputs},
                                  {"rows", rows},
                                  {"ms", compute.call_ms},
                                  {"flops", compute.rate},
                                  {"of_fma_peak", compute.of_peak},
                                  {"bytes_per_s", read.rate},
                                  {"of_read_peak", read.of_peak}});
    if (options_.json) return;
    fmt::print("{:<14}{:>6}{:>8}{:>6} {:>10.3f} {:>9.1f} {:>7.1f}", shape.name, shape.num_inputs,
               shape.num_outputs, rows, compute.call_ms, compute.rate * 1e-9,
               compute.of_peak * 100);
    if (read.rate > 0) fmt::print(" {:>8.2f} {:>7.1f}", read.rate * 1e-9, read.of_peak * 100);
    fmt::print("\n");
    std::fflush(stdout);
  }

  Options options_;
  ThreadPool pool_;
  ReadBuffer read_;
  nlohmann::json results_;
};

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Linear against the peaks of this machine, measured in turns");
  app.add_option("--threads", options.threads, "compute threads")->check(CLI::Range(1, 1024));
  app.add_option("--repeats", options.repeats, "measurements, of which the median is shown")
      ->check(CLI::Range(1, 1000));
  app.add_option("--seconds", options.seconds, "length of one measurement");
  app.add_option("--rows", options.rows, "these numbers of rows");
  app.add_option("--layer", options.layer, "only layers whose name has these letters");
  app.add_option("--target", options.target, "avx512, avx2, neon or scalar");
  app.add_flag("--packed12", options.packed12, "hold the weights in 12 bits");
  app.add_flag("--json", options.json, "print JSON");
  CLI11_PARSE(app, argc, argv);
  for (const Target target : RunnableTargets()) {
    if (options.target.empty() || options.target == TargetName(target)) {
      const ScopedTarget scope(target);
      Bench(options).Run();
      return 0;
    }
  }
  fmt::print(stderr, "this machine does not run the target '{}'\n", options.target);
  return 1;
}

}  // namespace
}  // namespace ocelli

int main(int argc, char** argv) { return ocelli::Main(argc, argv); }
