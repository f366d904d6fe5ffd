#include "server/exchange.h"

#include <utility>

namespace ocelli::server {

void Exchange::Respond(HttpResponse response) {
  if (answered() || gone_) return;
  head_ = std::move(response);
  ended_ = true;
  Wake();
}

HttpResponse Exchange::TakeHead() {
  std::string body = std::exchange(head_->body, {});
  HttpResponse head = *head_;
  head.body = std::move(body);
  return head;
}

void Exchange::StartStream(HttpResponse head, std::string ping) {
  if (answered() || gone_) return;
  head_ = std::move(head);
  ping_ = std::move(ping);
  streaming_ = true;
  Wake();
}

void Exchange::Send(std::string_view bytes) {
  if (!streaming_ || ended_ || gone_ || bytes.empty()) return;
  outbox_ += bytes;
  Wake();
}

void Exchange::End() {
  ended_ = true;
  Wake();
}

void Exchange::Abort() {
  aborted_ = true;
  Wake();
}

void Exchange::OnGone(Task task) {
  if (gone_) return task();
  on_gone_ = std::move(task);
}

void Exchange::SetGone() {
  if (std::exchange(gone_, true)) return;
  outbox_.clear();
  if (const Task task = std::exchange(on_gone_, nullptr)) task();
}

}  // namespace ocelli::server
