#include "server/server.h"

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "server/app.h"
#include "server/connections.h"
#include "server/dispatcher.h"
#include "server/gatekeeper.h"
#include "server/listener.h"
#include "server/metrics.h"
#include "server/page_routes.h"
#include "server/readiness.h"
#include "server/router.h"
#include "server/routes.h"

namespace ocelli::server {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kIoThreads = 2;  // they only carry bytes; parsing and decoding have workers
constexpr milliseconds kWatchInterval{1000};
constexpr milliseconds kAfterCancel{5000};  // for cancelled answers to end
constexpr milliseconds kLastWords{2000};    // for their last bytes to be written

// A base path is written without a slash at its end from here on.
ServerOptions Normalized(ServerOptions options) {
  while (options.base_path.ends_with('/')) options.base_path.pop_back();
  return options;
}

class ServerImpl : public Server {
 public:
  ServerImpl(const ServerOptions& options, std::unique_ptr<Metrics> metrics,
             std::unique_ptr<Dispatcher> dispatcher)
      : options_(Normalized(options)),
        metrics_(std::move(metrics)),
        dispatcher_(std::move(dispatcher)),
        readiness_(options.stuck_after),
        routes_(options_, readiness_, *dispatcher_, *metrics_),
        app_(options_, Gatekeeper(options, IsLoopbackHost(options.host)), router_, *metrics_),
        work_(asio::make_work_guard(io_)),
        watch_(asio::make_strand(io_)) {
    dispatcher_->OnBusy([this] { asio::post(watch_.get_executor(), [this] { Watch(); }); });
    routes_.AddTo(router_);
    AddPageRoutes(options_.static_files, router_);
  }

  ~ServerImpl() override { Stop(); }

  Status Listen() {
    OCELLI_ASSIGN_OR_RETURN(listener_,
                            Listener::Open(io_, options_, app_, connections_, *metrics_));
    listener_->Start();
    for (int i = 0; i < kIoThreads; ++i) threads_.emplace_back([this] { RunIo(); });
    return {};
  }

  uint16_t port() const override { return listener_->port(); }
  void SetLoading(const std::string& stage, double progress) override {
    readiness_.SetLoading(stage, progress);
  }
  void SetService(const Service& service) override { readiness_.SetService(service); }

  void Drain() override {
    const Clock::time_point end = Clock::now() + options_.drain_timeout;
    readiness_.SetDraining();
    dispatcher_->Drain();
    connections_.FinishSoon();
    if (!dispatcher_->WaitUntilIdle(options_.drain_timeout)) {
      dispatcher_->CancelAll();
      dispatcher_->WaitUntilIdle(kAfterCancel);
    }
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
    connections_.WaitUntilNone(std::clamp(left, milliseconds(0), kLastWords));
    Stop();
  }

 private:
  void RunIo() {
    while (true) {
      try {
        io_.run();
        return;
      } catch (const std::exception& error) {
        LogError("a connection's task failed: {}", error.what());
      }
    }
  }

  // Looks at the engine as long as there is work. A server that has none sleeps until one comes.
  void Watch() {
    const bool working = readiness_.Watch(Clock::now());
    if (!working && dispatcher_->idle()) return;
    watch_.expires_after(kWatchInterval);
    watch_.async_wait([this](const boost::system::error_code& error) {
      if (!error) Watch();
    });
  }

  // Ends everything: first what could still speak to connections, then the connections, then the
  // threads that carry them.
  void Stop() {
    if (stopped_) return;
    stopped_ = true;
    dispatcher_->Stop();
    if (listener_) listener_->Close();
    connections_.Abort();
    connections_.WaitUntilNone(kLastWords);
    io_.stop();
    for (std::thread& thread : threads_) thread.join();
    if (listener_) listener_->CloseNow();
  }

  asio::io_context io_;  // first: exchanges hold on to it as long as anything holds on to them
  const ServerOptions options_;
  const std::unique_ptr<Metrics> metrics_;
  const std::unique_ptr<Dispatcher> dispatcher_;
  Readiness readiness_;
  Router router_;
  Routes routes_;
  App app_;
  Connections connections_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::steady_timer watch_;
  std::unique_ptr<Listener> listener_;
  std::vector<std::thread> threads_;
  bool stopped_ = false;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::Start(const ServerOptions& options) {
  auto metrics = std::make_unique<Metrics>();
  OCELLI_ASSIGN_OR_RETURN(auto dispatcher, Dispatcher::Create(options, *metrics));
  auto server = std::make_unique<ServerImpl>(options, std::move(metrics), std::move(dispatcher));
  OCELLI_RETURN_IF_ERROR(server->Listen());
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace ocelli::server
