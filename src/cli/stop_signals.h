#ifndef OCELLI_CLI_STOP_SIGNALS_H_
#define OCELLI_CLI_STOP_SIGNALS_H_

namespace ocelli::cli {

// What Ctrl-C (SIGINT) and SIGTERM do to a server. While one lives and nothing is served yet they
// end the process at once with status 0, whatever its threads are doing: loading a model takes
// minutes and there is nobody to answer. At most one at a time.
class StopSignals {
 public:
  StopSignals();
  // Puts back what the signals did before.
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // From now on a signal is kept for Wait: requests are answered, which may end.
  void Hold();
  // Sleeps until a signal comes; once one has come the next ends the process as usual.
  void Wait();
};

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_STOP_SIGNALS_H_
