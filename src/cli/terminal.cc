#include "cli/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "base/printable.h"

namespace ocelli::cli {
namespace {

constexpr size_t kMaxLineBytes = 1000;

int g_exit_code = 1;

// Only async-signal-safe calls: the heap is what has run out.
[[noreturn]] void EndWith(std::string_view sentence) {
  static_cast<void>(!write(STDERR_FILENO, sentence.data(), sentence.size()));
  _exit(g_exit_code);
}

[[noreturn]] void OnTerminate() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    EndWith(
        "ocelli: out of memory; free some, raise the memory limit, or ask for less with "
        "--max-image-tokens and --max-new-tokens\n");
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again) {
      EndWith("ocelli: the system gives no more threads; ask for fewer with --threads\n");
    }
  } catch (...) {
  }
  std::abort();
}

}  // namespace

void OpenClosedStandardFiles() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    // The lowest free descriptor is the one that was closed. Read-only, so that writing fails.
    if (fcntl(fd, F_GETFD) < 0) static_cast<void>(open("/dev/null", O_RDONLY));
  }
}

Status WriteOut(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
    return {};
  }
  return Error{
      ErrorCode::kIo,
      fmt::format("cannot write to standard output: {}; give it a place that takes the answer",
                  std::strerror(errno)),
      "stdout"};
}

void Whisper(std::string_view text) {
  const bool dim = isatty(STDERR_FILENO) == 1;
  std::string shown = dim ? "\033[2m" : "";
  while (true) {
    const size_t end = std::min(text.find('\n'), text.size());
    shown += Printable(text.substr(0, end), text.size());
    if (end == text.size()) break;
    shown += '\n';
    text.remove_prefix(end + 1);
  }
  if (dim) shown += "\033[0m";
  std::fwrite(shown.data(), 1, shown.size(), stderr);
  std::fflush(stderr);
}

void Say(std::string_view line) {
  const std::string printable = Printable(line, kMaxLineBytes) + "\n";
  std::fwrite(printable.data(), 1, printable.size(), stderr);
  std::fflush(stderr);
}

void ExplainOutOfMemory(int exit_code) {
  g_exit_code = exit_code;
  std::set_terminate(OnTerminate);
}

}  // namespace ocelli::cli
