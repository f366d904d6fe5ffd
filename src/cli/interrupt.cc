#include "cli/interrupt.h"

#include <csignal>

namespace ocelli::cli {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;

// SA_RESETHAND puts the default action back, so a second signal ends the process.
void Install(int signal_number) {
  struct sigaction action {};
  action.sa_handler = [](int) { g_interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(signal_number, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  g_interrupted = 0;
  Install(SIGINT);
  Install(SIGTERM);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::interrupted() const { return g_interrupted != 0; }

}  // namespace ocelli::cli
