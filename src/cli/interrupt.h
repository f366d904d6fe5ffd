#ifndef OCELLI_CLI_INTERRUPT_H_
#define OCELLI_CLI_INTERRUPT_H_

#include <csignal>

namespace ocelli::cli {

// What the signals of a terminal do to a program that is at work.
enum class Interrupts {
  kOnce,  // the first Ctrl-C (SIGINT) or SIGTERM asks it to stop, the second ends it as usual
  kAny,   // Ctrl-C only ever asks; SIGTERM ends it as usual
};

// While one lives, a signal of `interrupts` raises a flag and ends a waiting read with EINTR, so
// that work can stop cleanly; afterwards they do what they did before. At most one at a time.
class InterruptGuard {
 public:
  explicit InterruptGuard(Interrupts interrupts = Interrupts::kOnce);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;

 private:
  struct sigaction interrupt_before_;
  struct sigaction terminate_before_;
};

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_INTERRUPT_H_
