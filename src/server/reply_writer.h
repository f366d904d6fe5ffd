#ifndef OCELLI_SERVER_REPLY_WRITER_H_
#define OCELLI_SERVER_REPLY_WRITER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/reply.h"
#include "server/exchange.h"
#include "server/generation.h"

namespace ocelli::server {

// Carries what becomes of a call to the client who waits for it: as a stream that begins when the
// call is accepted, or whole at the end. What is wrong before that is an error status in both.
// **Threads**: functions of the observer from any; the rest on the exchange's strand.
class ReplyWriter : public GenerationObserver, public std::enable_shared_from_this<ReplyWriter> {
 public:
  // Makes the endpoint's reply once the pictures are known.
  using MakeReply = std::function<std::unique_ptr<api::Reply>(std::vector<api::PictureUse>)>;
  // How long a refused client had better wait. **Units**: seconds.
  using RetryAfter = std::function<int()>;

  ReplyWriter(std::shared_ptr<Exchange> exchange, RetryAfter retry_after)
      : exchange_(std::move(exchange)), retry_after_(std::move(retry_after)) {}

  // Says what the call asked for; before it runs. **Threads**: a worker.
  void Expect(bool stream, MakeReply make_reply);
  // Watches whether the client stays. **Threads**: the strand.
  void Watch(const std::shared_ptr<Generation>& generation);

  void OnPrepared(std::vector<api::PictureUse> pictures, double picture_seconds) override;
  void OnAccepted() override;
  void OnRefused(const Error& error) override;
  void OnEvent(Event event) override;

 private:
  void BeginStream();
  void Take(const Event& event);
  void TakeStreamed(const Event& event);
  void RespondWhole();
  void AddStages(const StageTimes& times);

  const std::shared_ptr<Exchange> exchange_;
  const RetryAfter retry_after_;
  bool stream_ = false;
  MakeReply make_reply_;
  std::unique_ptr<api::Reply> reply_;
  std::weak_ptr<Generation> generation_;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_REPLY_WRITER_H_
