#ifndef OCELLI_SERVER_READINESS_H_
#define OCELLI_SERVER_READINESS_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "server/http_message.h"
#include "server/service.h"

namespace ocelli::server {

// Knows whether requests can be answered now: the model is loaded and warm, the server is not
// stopping, and the engine moves. **Threads**: every function from any thread.
class Readiness {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit Readiness(std::chrono::seconds stuck_after) : stuck_after_(stuck_after) {}

  void SetLoading(const std::string& stage, double progress);
  void SetService(const Service& service);
  void SetDraining();

  // The service, null while it is loading.
  std::shared_ptr<const Service> service() const;

  // Looks whether the engine has moved. Call it every second or so while it returns true: as long
  // as the engine has work.
  bool Watch(TimePoint now);
  // Sees one reading of an engine's counters.
  bool Watch(const EngineStats& stats, TimePoint now);

  // Returns the answer of /ready: 200, or 503 with why and, while loading, how far.
  HttpResponse Response(TimePoint now) const;

 private:
  const std::chrono::seconds stuck_after_;
  mutable std::mutex mutex_;  // guards what follows
  std::string stage_ = "starting";
  double progress_ = 0;
  bool draining_ = false;
  std::shared_ptr<const Service> service_;
  uint64_t last_steps_ = 0;
  std::optional<TimePoint> still_since_;  // work waits and nothing has moved since then
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_READINESS_H_
