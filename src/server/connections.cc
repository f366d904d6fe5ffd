#include "server/connections.h"

namespace ocelli::server {

void Connections::Add(const std::shared_ptr<Session>& session) {
  bool finishing = false;
  {
    const std::lock_guard lock(mutex_);
    sessions_.insert(session);
    finishing = finishing_;
  }
  if (finishing) session->FinishSoon();
}

void Connections::Remove(const std::shared_ptr<Session>& session) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(session);
  if (sessions_.empty()) none_.notify_all();
}

size_t Connections::size() const {
  const std::lock_guard lock(mutex_);
  return sessions_.size();
}

void Connections::FinishSoon() {
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
  }
  for (const auto& session : All()) session->FinishSoon();
}

void Connections::Abort() {
  for (const auto& session : All()) session->Abort();
}

bool Connections::WaitUntilNone(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return none_.wait_for(lock, timeout, [this] { return sessions_.empty(); });
}

std::vector<std::shared_ptr<Session>> Connections::All() const {
  const std::lock_guard lock(mutex_);
  return {sessions_.begin(), sessions_.end()};
}

}  // namespace ocelli::server
