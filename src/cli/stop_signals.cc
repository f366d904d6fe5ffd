#include "cli/stop_signals.h"

#include <semaphore.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <string_view>

namespace ocelli::cli {
namespace {

constexpr std::array<int, 2> kSignals = {SIGINT, SIGTERM};
constexpr std::string_view kFarewell = "Ocelli stops before the model is loaded\n";

std::atomic<bool> g_held = false;
static_assert(std::atomic<bool>::is_always_lock_free);
sem_t g_came;
std::array<struct sigaction, kSignals.size()> g_before;

// Only async-signal-safe calls.
void OnSignal(int) {
  const int saved = errno;
  if (!g_held) {
    static_cast<void>(!write(STDERR_FILENO, kFarewell.data(), kFarewell.size()));
    _exit(0);
  }
  for (const int number : kSignals) std::signal(number, SIG_DFL);
  sem_post(&g_came);
  errno = saved;
}

}  // namespace

StopSignals::StopSignals() {
  g_held = false;
  sem_init(&g_came, 0, 0);
  struct sigaction action {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &g_before[i]);
}

StopSignals::~StopSignals() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &g_before[i], nullptr);
  sem_destroy(&g_came);
}

void StopSignals::Hold() { g_held = true; }

void StopSignals::Wait() {
  while (sem_wait(&g_came) != 0) {  // other signals cut it short
  }
}

}  // namespace ocelli::cli
