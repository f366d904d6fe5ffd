#include "server/metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace ocelli::server {
namespace {

// From a cached text request to a page of text on two slow cores.
std::vector<double> SecondsBounds() {
  return {0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500};
}
std::vector<double> ShortSecondsBounds() {
  return {0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2, 5};
}

void WriteHead(std::string& text, std::string_view name, std::string_view help,
               std::string_view type) {
  text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

template <typename Value>
void WriteOne(std::string& text, std::string_view name, std::string_view help,
              std::string_view type, Value value) {
  WriteHead(text, name, help, type);
  text += fmt::format("{} {}\n", name, value);
}

// Memory of this process that cannot be dropped, swapped or not: what leaks show in. **Units**:
// bytes.
struct ProcessMemory {
  uint64_t resident_bytes = 0;
  uint64_t anonymous_bytes = 0;
};
ProcessMemory ReadProcessMemory() {
  ProcessMemory memory;
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    uint64_t kib = 0;
    if (std::sscanf(line.c_str(), "VmRSS: %lu", &kib) == 1) memory.resident_bytes = kib * 1024;
    if (std::sscanf(line.c_str(), "RssAnon: %lu", &kib) == 1 ||
        std::sscanf(line.c_str(), "VmSwap: %lu", &kib) == 1) {
      memory.anonymous_bytes += kib * 1024;
    }
  }
  return memory;
}

void WriteEngineCounters(std::string& text, const EngineStats& stats) {
  const auto counter = [&text](std::string_view name, std::string_view help, auto value) {
    WriteOne(text, name, help, "counter", value);
  };
  counter("ocelli_prompt_tokens_total", "Tokens of prompts read", stats.prompt_tokens);
  counter("ocelli_cached_tokens_total", "Of them: from the prefix cache", stats.cached_tokens);
  counter("ocelli_completion_tokens_total", "Tokens written", stats.completion_tokens);
  counter("ocelli_cancelled_requests_total", "Requests that ended early", stats.requests_cancelled);
  counter("ocelli_finished_requests_total", "Requests answered", stats.requests_finished);
  counter("ocelli_preemptions_total", "Answers put back for want of KV blocks", stats.preemptions);
  counter("ocelli_pictures_encoded_total", "Pictures encoded", stats.pictures_encoded);
  counter("ocelli_picture_cache_hits_total", "Pictures found encoded", stats.vision_cache_hits);
  counter("ocelli_engine_steps_total", "Steps of the engine", stats.steps);
  counter("ocelli_draft_tokens_total", "Tokens guessed by prompt lookup", stats.draft_tokens);
  counter("ocelli_accepted_tokens_total", "Of them: guessed right", stats.accepted_tokens);
}

void WriteEngineGauges(std::string& text, const EngineStats& stats) {
  const auto gauge = [&text](std::string_view name, std::string_view help, auto value) {
    WriteOne(text, name, help, "gauge", value);
  };
  gauge("ocelli_running_sequences", "Answers being written", stats.running_sequences);
  gauge("ocelli_waiting_requests", "Requests in the queue", stats.waiting_requests);
  gauge("ocelli_kv_blocks", "KV blocks there are", stats.kv_blocks_total);
  gauge("ocelli_kv_blocks_in_use", "KV blocks of running answers", stats.kv_blocks_in_use);
  gauge("ocelli_kv_blocks_cached", "KV blocks kept for reuse", stats.kv_blocks_cached);
  gauge("ocelli_vision_cache_bytes", "Memory of encoded pictures", stats.vision_cache_used_bytes);
}

}  // namespace

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}

void Histogram::Observe(double value) {
  const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), value);
  const std::lock_guard lock(mutex_);
  ++counts_[static_cast<size_t>(bound - bounds_.begin())];
  sum_ += value;
}

void Histogram::WriteTo(std::string& text, std::string_view name, std::string_view help) const {
  WriteHead(text, name, help, "histogram");
  const std::lock_guard lock(mutex_);
  uint64_t below = 0;
  for (size_t i = 0; i < bounds_.size(); ++i) {
    below += counts_[i];
    text += fmt::format("{}_bucket{{le=\"{}\"}} {}\n", name, bounds_[i], below);
  }
  below += counts_.back();
  text += fmt::format("{}_bucket{{le=\"+Inf\"}} {}\n{}_sum {}\n{}_count {}\n", name, below, name,
                      sum_, name, below);
}

Metrics::Metrics()
    : queue_seconds_(SecondsBounds()),
      encode_seconds_(SecondsBounds()),
      picture_seconds_(ShortSecondsBounds()),
      first_token_seconds_(SecondsBounds()),
      inter_token_seconds_(ShortSecondsBounds()),
      total_seconds_(SecondsBounds()) {}

void Metrics::CountRequest(std::string_view route, int status) {
  const std::lock_guard lock(mutex_);
  ++requests_[{std::string(route), status}];
}

void Metrics::ObserveFinished(const FinishedEvent& finished) {
  const StageTimes& times = finished.times;
  queue_seconds_.Observe(times.queued);
  if (finished.usage.pictures_encoded > 0) encode_seconds_.Observe(times.encoding);
  if (finished.usage.completion_tokens > 0) first_token_seconds_.Observe(times.first_token);
  total_seconds_.Observe(times.total);
  image_tokens_.fetch_add(finished.usage.image_tokens, std::memory_order_relaxed);
}

void Metrics::WriteRequests(std::string& text) const {
  WriteHead(text, "ocelli_http_requests_total", "Requests by route and status", "counter");
  const std::lock_guard lock(mutex_);
  for (const auto& [key, count] : requests_) {
    text += fmt::format("ocelli_http_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", key.first,
                        key.second, count);
  }
}

std::string Metrics::Text(const Engine* engine) const {
  std::string text;
  WriteRequests(text);
  queue_seconds_.WriteTo(text, "ocelli_queue_seconds", "From submission to the first work");
  encode_seconds_.WriteTo(text, "ocelli_encode_seconds", "In the vision encoder, a request");
  picture_seconds_.WriteTo(text, "ocelli_picture_decode_seconds",
                           "Decoding and resizing a picture");
  first_token_seconds_.WriteTo(text, "ocelli_time_to_first_token_seconds",
                               "From submission to the first token");
  inter_token_seconds_.WriteTo(text, "ocelli_inter_token_seconds", "Between two tokens");
  total_seconds_.WriteTo(text, "ocelli_request_seconds", "From submission to the end");
  WriteOne(text, "ocelli_rejected_requests_total", "Requests refused because of load", "counter",
           rejects_.load(std::memory_order_relaxed));
  WriteOne(text, "ocelli_image_tokens_total", "Prompt tokens that were pictures", "counter",
           image_tokens_.load(std::memory_order_relaxed));
  WriteOne(text, "ocelli_connections", "Open connections", "gauge",
           connections_.load(std::memory_order_relaxed));
  const ProcessMemory memory = ReadProcessMemory();
  WriteOne(text, "process_resident_memory_bytes", "Memory in use", "gauge", memory.resident_bytes);
  WriteOne(text, "ocelli_anonymous_memory_bytes", "RssAnon and VmSwap", "gauge",
           memory.anonymous_bytes);
  if (engine == nullptr) return text;
  const EngineStats stats = engine->Stats();
  WriteEngineCounters(text, stats);
  WriteEngineGauges(text, stats);
  return text;
}

}  // namespace ocelli::server
