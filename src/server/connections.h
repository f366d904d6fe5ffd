#ifndef OCELLI_SERVER_CONNECTIONS_H_
#define OCELLI_SERVER_CONNECTIONS_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "server/session.h"

namespace ocelli::server {

// All connections that live. **Threads**: any.
class Connections {
 public:
  void Add(const std::shared_ptr<Session>& session);
  void Remove(const std::shared_ptr<Session>& session);
  size_t size() const;

  // Closes each once its request in progress is answered; those that come later too.
  void FinishSoon();
  void Abort();
  // Waits until there are none; returns false when `timeout` passes first.
  bool WaitUntilNone(std::chrono::milliseconds timeout);

 private:
  std::vector<std::shared_ptr<Session>> All() const;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable none_;
  std::unordered_set<std::shared_ptr<Session>> sessions_;
  bool finishing_ = false;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_CONNECTIONS_H_
