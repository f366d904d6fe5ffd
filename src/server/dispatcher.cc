#include "server/dispatcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/machine_limits.h"

namespace ocelli::server {
namespace {

// Tasks are small; what they hold in memory has budgets of its own.
constexpr size_t kMaxWaitingTasks = 8192;
constexpr size_t kFetchThreads = 8;
constexpr double kRecency = 0.2;            // weight of the latest request in the mean
constexpr int kMaxRetryAfterSeconds = 120;  // OpenAI's clients do not wait longer

// Decoding a picture waits for memory now and then, so a few more threads than cores pay.
size_t NumDecoders(const ServerOptions& options) {
  if (options.picture_threads > 0) return options.picture_threads;
  return static_cast<size_t>(std::ceil(1.5 * DetectThreadLimits().threads));
}

}  // namespace

Result<std::unique_ptr<Dispatcher>> Dispatcher::Create(const ServerOptions& options,
                                                       Metrics& metrics) {
  OCELLI_ASSIGN_OR_RETURN(auto loader, PictureLoader::Create(options, metrics));
  return std::unique_ptr<Dispatcher>(new Dispatcher(options, std::move(loader), metrics));
}

Dispatcher::Dispatcher(const ServerOptions& options, std::unique_ptr<PictureLoader> loader,
                       Metrics& metrics)
    : metrics_(metrics),
      loader_(std::move(loader)),
      prepared_(std::make_shared<ByteBudget>(options.picture_memory_bytes)),
      decoders_(NumDecoders(options), kMaxWaitingTasks),
      fetchers_(options.image_hosts.empty() ? 0 : kFetchThreads, kMaxWaitingTasks) {}

Dispatcher::~Dispatcher() { Stop(); }

Result<std::shared_ptr<Generation>> Dispatcher::Begin(std::shared_ptr<const Service> service,
                                                      std::shared_ptr<GenerationObserver> observer,
                                                      std::string name, std::string scope) {
  const size_t waiting = service->engine->Stats().waiting_requests;
  const std::lock_guard lock(mutex_);
  if (draining_) {
    return Error{ErrorCode::kUnavailable, "the server is stopping and takes no more requests", ""};
  }
  if (preparing_.size() + waiting >= service->max_queue) {
    metrics_.CountReject();
    return Error{ErrorCode::kResourceExhausted,
                 fmt::format("{} requests wait already, which is the limit: try again later",
                             preparing_.size() + waiting),
                 ""};
  }
  auto generation = std::make_shared<Generation>(*this, std::move(service), std::move(observer),
                                                 std::move(name), std::move(scope));
  if (IdleLocked() && on_busy_) on_busy_();
  preparing_.insert(generation);
  return generation;
}

bool Dispatcher::idle() const {
  const std::lock_guard lock(mutex_);
  return IdleLocked();
}

int Dispatcher::RetryAfterSeconds(const Service& service) const {
  const EngineStats stats = service.engine->Stats();
  const std::lock_guard lock(mutex_);
  const auto ahead = static_cast<double>(stats.waiting_requests + preparing_.size() + 1);
  const auto at_once = static_cast<double>(std::max<size_t>(1, stats.running_sequences));
  // A full queue is worth coming back to when about a quarter of it is done.
  const double seconds = std::ceil(ahead / 4 * work_seconds_ / at_once);
  return static_cast<int>(std::clamp(seconds, 1.0, double{kMaxRetryAfterSeconds}));
}

void Dispatcher::Drain() {
  const std::lock_guard lock(mutex_);
  draining_ = true;
}

bool Dispatcher::WaitUntilIdle(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, timeout, [this] { return IdleLocked(); });
}

void Dispatcher::CancelAll() {
  for (const auto& generation : UnderWay()) generation->Cancel();
}

void Dispatcher::Stop() {
  Drain();
  for (const auto& generation : UnderWay()) generation->Detach();
  fetchers_.Stop();
  decoders_.Stop();
  std::unordered_set<std::shared_ptr<Generation>> forgotten;  // their tasks never ran
  {
    const std::lock_guard lock(mutex_);
    forgotten.swap(preparing_);
  }
  for (const auto& generation : forgotten) generation->Forget();
}

void Dispatcher::EnteredEngine(const std::shared_ptr<Generation>& generation) {
  const std::lock_guard lock(mutex_);
  preparing_.erase(generation);
  in_engine_.insert(generation);
}

void Dispatcher::Ended(const std::shared_ptr<Generation>& generation) {
  const std::lock_guard lock(mutex_);
  preparing_.erase(generation);
  in_engine_.erase(generation);
  if (IdleLocked()) idle_.notify_all();
}

void Dispatcher::ObserveFinished(const FinishedEvent& finished) {
  metrics_.ObserveFinished(finished);
  const std::lock_guard lock(mutex_);
  const double worked = finished.times.total - finished.times.queued;
  work_seconds_ += kRecency * (worked - work_seconds_);
}

std::vector<std::shared_ptr<Generation>> Dispatcher::UnderWay() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Generation>> all(preparing_.begin(), preparing_.end());
  all.insert(all.end(), in_engine_.begin(), in_engine_.end());
  return all;
}

}  // namespace ocelli::server
