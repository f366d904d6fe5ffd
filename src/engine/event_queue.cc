#include "engine/event_queue.h"

#include <utility>

namespace ocelli {

EventSink EventQueue::Sink() {
  return [self = shared_from_this()](Event event) { self->Push(std::move(event)); };
}

void EventQueue::Push(Event event) {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  changed_.notify_one();
}

std::optional<Event> EventQueue::Pop(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, timeout, [this] { return !events_.empty(); })) return std::nullopt;
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

Event EventQueue::Pop() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !events_.empty(); });
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

}  // namespace ocelli
