#include "cli/bench_clients.h"

#include <chrono>
#include <ctime>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

#include "engine/event_queue.h"

namespace ocelli::cli {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Returns the CPU time that this process has used, all threads together.
double CpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Returns a sink that notes when tokens come, as the engine gives them out, and hands all on.
EventSink TimingSink(std::shared_ptr<EventQueue> events, Clock::time_point start,
                     std::shared_ptr<std::vector<double>> token_times) {
  return [sink = events->Sink(), start, times = std::move(token_times)](Event event) {
    if (std::holds_alternative<TokenEvent>(event)) times->push_back(SecondsSince(start));
    sink(std::move(event));
  };
}

// Waits for the end of a request and collects its answer.
FinishedEvent Collect(EventQueue& events, std::vector<TokenId>& ids) {
  while (true) {
    const Event event = events.Pop();
    if (const auto* token = std::get_if<TokenEvent>(&event)) ids.push_back(token->token_id);
    if (const auto* finished = std::get_if<FinishedEvent>(&event)) return *finished;
  }
}

// One client: its conversations, prepared, and what it saw.
struct Client {
  std::vector<BenchConversation> conversations;
  std::vector<BenchAnswer> answers;
  std::optional<Error> error;

  Status Ask(BenchConversation& conversation, size_t turn, Clock::time_point start,
             Engine& engine) {
    OCELLI_ASSIGN_OR_RETURN(GenerateRequest request, conversation.Ask());
    const auto events = EventQueue::Make();
    const auto token_times = std::make_shared<std::vector<double>>();
    BenchAnswer answer;
    answer.turn = turn;
    answer.asked = SecondsSince(start);
    OCELLI_RETURN_IF_ERROR(
        engine.Submit(std::move(request), TimingSink(events, start, token_times)));
    std::vector<TokenId> ids;
    answer.finished = Collect(*events, ids);
    if (answer.finished.error) return *answer.finished.error;
    conversation.Answered(ids);
    answer.token_times = std::move(*token_times);
    answers.push_back(std::move(answer));
    return {};
  }

  void Run(const BenchWorkload& workload, Clock::time_point start, Engine& engine) {
    for (BenchConversation& conversation : conversations) {
      for (size_t turn = 0; turn < workload.turns; ++turn) {
        const Status asked = Ask(conversation, turn, start, engine);
        if (asked.ok()) continue;
        error = asked.error();
        return;
      }
    }
  }
};

Result<std::vector<Client>> MakeClients(const BenchWorkload& workload, size_t num_clients,
                                        size_t number, const SessionFiles& files) {
  std::vector<Client> clients(num_clients);
  for (Client& client : clients) {
    for (size_t i = 0; i < workload.conversations; ++i) {
      OCELLI_ASSIGN_OR_RETURN(auto conversation,
                              BenchConversation::Make(workload, number++, files));
      client.conversations.push_back(std::move(conversation));
    }
  }
  return clients;
}

// Returns how long a picture request takes to end that is cancelled when `part` of an encoder step
// has gone by.
Result<double> CancelWithinStep(GenerateRequest request, double part, Engine& engine) {
  const auto events = EventQueue::Make();
  OCELLI_ASSIGN_OR_RETURN(const RequestId id, engine.Submit(std::move(request), events->Sink()));
  std::optional<Clock::time_point> first_step, cancelled;
  while (true) {
    const Event event = events->Pop();
    if (std::holds_alternative<FinishedEvent>(event)) {
      return cancelled ? SecondsSince(*cancelled) : 0.0;
    }
    if (cancelled || !std::holds_alternative<EncodingEvent>(event)) continue;
    if (!first_step) {
      first_step = Clock::now();
      continue;
    }
    std::this_thread::sleep_for((Clock::now() - *first_step) * part);
    cancelled = Clock::now();
    engine.Cancel(id);
  }
}

}  // namespace

Result<BenchRun> RunClients(const BenchWorkload& workload, size_t num_clients, size_t first_number,
                            const SessionFiles& files, Engine& engine) {
  OCELLI_ASSIGN_OR_RETURN(std::vector<Client> clients,
                          MakeClients(workload, num_clients, first_number, files));
  BenchRun run;
  run.num_clients = num_clients;
  run.before = engine.Stats();
  const double cpu_start = CpuSeconds();
  const Clock::time_point start = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (Client& client : clients) {
      threads.emplace_back([&] { client.Run(workload, start, engine); });
    }
  }
  run.seconds = SecondsSince(start);
  run.cpu_seconds = CpuSeconds() - cpu_start;
  run.after = engine.Stats();
  for (Client& client : clients) {
    if (client.error) return *client.error;
    for (BenchAnswer& answer : client.answers) run.answers.push_back(std::move(answer));
  }
  return run;
}

Result<std::vector<double>> MeasureCancels(const BenchWorkload& workload, size_t count,
                                           size_t first_number, const SessionFiles& files,
                                           Engine& engine) {
  std::vector<double> seconds;
  for (size_t i = 0; i < count; ++i) {
    OCELLI_ASSIGN_OR_RETURN(auto conversation,
                            BenchConversation::Make(workload, first_number + i, files));
    OCELLI_ASSIGN_OR_RETURN(GenerateRequest request, conversation.Ask());
    if (request.pictures.empty()) continue;
    const double part = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    OCELLI_ASSIGN_OR_RETURN(const double one, CancelWithinStep(std::move(request), part, engine));
    seconds.push_back(one);
  }
  return seconds;
}

}  // namespace ocelli::cli
