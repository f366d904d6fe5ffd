#ifndef OCELLI_ENGINE_EVENT_QUEUE_H_
#define OCELLI_ENGINE_EVENT_QUEUE_H_

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "engine/request.h"

namespace ocelli {

// Carries the events of one request to a thread that may wait for them, such as a command line.
class EventQueue : public std::enable_shared_from_this<EventQueue> {
 public:
  static std::shared_ptr<EventQueue> Make() { return std::shared_ptr<EventQueue>(new EventQueue); }

  // Returns a sink that keeps this queue alive.
  EventSink Sink();

  // Waits for the next event; nothing when `timeout` passes first. **Threads**: any.
  std::optional<Event> Pop(std::chrono::milliseconds timeout);
  // Waits as long as it takes. Do not call after a FinishedEvent: there is no further one.
  Event Pop();

 private:
  EventQueue() = default;
  void Push(Event event);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Event> events_;
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_EVENT_QUEUE_H_
