#ifndef OCELLI_CLI_INTERRUPT_H_
#define OCELLI_CLI_INTERRUPT_H_

namespace ocelli::cli {

// While one lives, the first Ctrl-C (SIGINT) or SIGTERM only raises a flag, so that work can stop
// cleanly; the second ends the process as usual. At most one at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;
};

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_INTERRUPT_H_
