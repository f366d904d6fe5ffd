#include "cli/interrupt.h"

#include <csignal>

namespace ocelli::cli {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;

// SA_RESETHAND in `flags` puts the default action back, so a second signal ends the process. No
// SA_RESTART: a read that waits must return.
void Install(int signal_number, unsigned flags) {
  struct sigaction action {};
  action.sa_handler = [](int) { g_interrupted = 1; };
  action.sa_flags = static_cast<int>(flags);
  sigaction(signal_number, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard(Interrupts interrupts) {
  g_interrupted = 0;
  Install(SIGINT, interrupts == Interrupts::kAny ? 0 : SA_RESETHAND);
  if (interrupts == Interrupts::kOnce) Install(SIGTERM, SA_RESETHAND);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::interrupted() const { return g_interrupted != 0; }

}  // namespace ocelli::cli
