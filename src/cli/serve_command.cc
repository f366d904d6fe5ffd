#include "cli/serve_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/machine_limits.h"
#include "cli/model_identity.h"
#include "cli/serve_options.h"
#include "cli/session.h"
#include "cli/stop_signals.h"
#include "cli/terminal.h"
#include "page/page_files.h"
#include "parallel/thread_pool.h"
#include "server/server.h"

namespace ocelli::cli {
namespace {

std::string UrlOf(const ServeOptions& options, uint16_t port) {
  const server::ServerOptions& server = options.server;
  const bool six = server.host.find(':') != std::string::npos;
  return fmt::format("{}://{}:{}{}", server.tls_certificate.empty() ? "http" : "https",
                     six ? "[" + server.host + "]" : server.host, port, server.base_path);
}

server::Service ServiceOf(const ServeOptions& options, const SessionFiles& files,
                          Session& session) {
  ModelIdentity identity = IdentityOf(files, session.options());
  server::Service service;
  service.engine = &session.engine();
  service.tokenizer = files.tokenizer;
  service.processor = files.processor;
  service.default_params = ApplyTo(files.generation_config, options.sampling, files.thinking);
  service.default_picture = options.picture;
  service.model_id = options.model_name.empty() ? identity.name : options.model_name;
  service.system_fingerprint = std::move(identity.fingerprint);
  service.created = identity.created;
  service.thinking = files.thinking;
  service.max_context_tokens = session.max_context_tokens();
  service.vocab_size = files.config.text_config.vocab_size;
  service.max_queue = session.options().max_queue;
  return service;
}

// Loads and warms up the model while `server` says how far that is.
Result<std::unique_ptr<Session>> LoadSession(const ServeOptions& options, SessionFiles& files,
                                             ThreadPool& pool, server::Server& server) {
  server.SetLoading("loading weights", 0);
  const auto progress = [&server](size_t done, size_t total) {
    server.SetLoading("loading weights",
                      total == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(total));
  };
  OCELLI_ASSIGN_OR_RETURN(auto session, Session::Load(files, options.engine, pool, progress));
  server.SetLoading("warming up", 1);
  OCELLI_RETURN_IF_ERROR(session->WarmUp());
  return session;
}

Status Announce(const ServeOptions& options, const server::Service& service, const Session& session,
                uint16_t port) {
  std::string text;
  for (const std::string& line : session.StartLines()) text += line + "\n";
  text += fmt::format("Ocelli listens on {} with {} (context {} tokens, {})\n",
                      UrlOf(options, port), service.model_id, service.max_context_tokens,
                      options.server.api_keys.empty() ? "no key needed" : "API key needed");
  return WriteOut(text);
}

Status RunServe(ServeOptions& options) {
  OCELLI_RETURN_IF_ERROR(CompleteServeOptions(options));
  options.server.static_files = page::PageFiles();
  FitToMemory(DetectMemoryLimits().UsableBytes(), options.server);
  SetLogLevel(LogLevel::kInfo);
  StopSignals stop;
  OCELLI_ASSIGN_OR_RETURN(SessionFiles files, OpenSessionFiles(options.model));
  ThreadPool pool(files.threads.threads);
  std::unique_ptr<Session> session;  // outlives the server, whose requests it answers
  OCELLI_ASSIGN_OR_RETURN(const std::unique_ptr<server::Server> server,
                          server::Server::Start(options.server));
  OCELLI_ASSIGN_OR_RETURN(session, LoadSession(options, files, pool, *server));
  const server::Service service = ServiceOf(options, files, *session);
  stop.Hold();
  server->SetService(service);
  OCELLI_RETURN_IF_ERROR(Announce(options, service, *session, server->port()));
  stop.Wait();
  Say("Ocelli stops: running answers may end; a second signal ends it at once");
  server->Drain();
  return {};
}

}  // namespace

Command AddServe(CLI::App& app) {
  const auto options = std::make_shared<ServeOptions>();
  CLI::App* serve = app.add_subcommand("serve", "Answer over HTTP: an OpenAI-style API");
  AddServeOptions(*serve, *options);
  return {serve, [options] { return RunServe(*options); }};
}

}  // namespace ocelli::cli
