#include "cli/interrupt.h"

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
  sigaction(SIGINT, nullptr, &interrupt_before_);
  sigaction(SIGTERM, nullptr, &terminate_before_);
  Install(SIGINT, interrupts == Interrupts::kAny ? 0 : SA_RESETHAND);
  if (interrupts == Interrupts::kOnce) Install(SIGTERM, SA_RESETHAND);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
}

bool InterruptGuard::interrupted() const { return g_interrupted != 0; }

}  // namespace ocelli::cli
