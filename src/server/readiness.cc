#include "server/readiness.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "server/responses.h"

namespace ocelli::server {

using nlohmann::ordered_json;

void Readiness::SetLoading(const std::string& stage, double progress) {
  const std::lock_guard lock(mutex_);
  stage_ = stage;
  progress_ = progress;
}

void Readiness::SetService(const Service& service) {
  auto shared = std::make_shared<const Service>(service);
  const std::lock_guard lock(mutex_);
  service_ = std::move(shared);
}

void Readiness::SetDraining() {
  const std::lock_guard lock(mutex_);
  draining_ = true;
}

std::shared_ptr<const Service> Readiness::service() const {
  const std::lock_guard lock(mutex_);
  return service_;
}

bool Readiness::Watch(TimePoint now) {
  const auto current = service();
  return current != nullptr && Watch(current->engine->Stats(), now);
}

bool Readiness::Watch(const EngineStats& stats, TimePoint now) {
  const std::lock_guard lock(mutex_);
  const bool idle = stats.waiting_requests == 0 && stats.running_sequences == 0;
  if (idle || stats.steps != last_steps_) {
    still_since_.reset();
  } else if (!still_since_) {
    still_since_ = now;
  }
  last_steps_ = stats.steps;
  return !idle;
}

HttpResponse Readiness::Response(TimePoint now) const {
  const std::lock_guard lock(mutex_);
  ordered_json body;
  if (draining_) {
    body = {{"status", "draining"}};
  } else if (!service_) {
    body = {{"status", "loading"}, {"stage", stage_}, {"progress", progress_}};
  } else if (still_since_ && now - *still_since_ > stuck_after_) {
    body = {{"status", "stuck"}};
  } else {
    return JsonResponse(R"({"status":"ready"})");
  }
  HttpResponse response = JsonResponse(body.dump(), 503);
  response.fields.emplace_back("Retry-After", "2");
  return response;
}

}  // namespace ocelli::server
