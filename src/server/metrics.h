#ifndef OCELLI_SERVER_METRICS_H_
#define OCELLI_SERVER_METRICS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/request.h"

namespace ocelli::server {

// Counts how often a value fell below each of a few bounds. **Threads**: any.
class Histogram {
 public:
  // `bounds` rise.
  explicit Histogram(std::vector<double> bounds);

  void Observe(double value);
  // Appends the samples of `name` in Prometheus' text format.
  void WriteTo(std::string& text, std::string_view name, std::string_view help) const;

 private:
  const std::vector<double> bounds_;
  mutable std::mutex mutex_;
  std::vector<uint64_t> counts_;  // [bounds + 1]
  double sum_ = 0;
};

// What /metrics shows. **Threads**: any.
class Metrics {
 public:
  Metrics();

  void CountRequest(std::string_view route, int status);
  void CountReject() { rejects_.fetch_add(1, std::memory_order_relaxed); }
  // Takes what the end of a request tells.
  void ObserveFinished(const FinishedEvent& finished);
  void ObservePicture(double decode_seconds) { picture_seconds_.Observe(decode_seconds); }
  void ObserveInterToken(double seconds) { inter_token_seconds_.Observe(seconds); }
  void AddConnections(int change) { connections_.fetch_add(change, std::memory_order_relaxed); }

  // Returns the whole page, in Prometheus' text format. `engine` may be null.
  std::string Text(const Engine* engine) const;

 private:
  void WriteRequests(std::string& text) const;

  Histogram queue_seconds_;
  Histogram encode_seconds_;
  Histogram picture_seconds_;
  Histogram first_token_seconds_;
  Histogram inter_token_seconds_;
  Histogram total_seconds_;
  std::atomic<uint64_t> rejects_{0};
  std::atomic<uint64_t> image_tokens_{0};
  std::atomic<int64_t> connections_{0};
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, uint64_t> requests_;  // by route and status
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_METRICS_H_
