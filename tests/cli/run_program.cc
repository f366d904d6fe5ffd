#include "run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/check.h"

extern char** environ;

namespace ocelli {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  std::array<int, 2> ends{};
  Pipe() { OCELLI_CHECK(pipe2(ends.data(), O_CLOEXEC) == 0, "pipe: {}", std::strerror(errno)); }
  int reader() const { return ends[0]; }
  int writer() const { return ends[1]; }
};

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Environment(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;  // the first of two equal names wins
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

pid_t Spawn(std::vector<std::string> arguments, const ProgramInput& input, const Pipe& in,
            const Pipe& out, const Pipe& err) {
  std::vector<std::string> environment = Environment(input.environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.reader(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.writer(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.writer(), STDERR_FILENO);
  const auto redirect = [&actions](int fd, const std::string& path) {
    if (path.empty()) return;
    posix_spawn_file_actions_addopen(&actions, fd, path.c_str(), O_WRONLY, 0);
  };
  redirect(STDOUT_FILENO, input.output_path);
  redirect(STDERR_FILENO, input.error_path);
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, arguments[0].c_str(), &actions, nullptr,
                                 Pointers(arguments).data(), Pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  OCELLI_CHECK(failed == 0, "cannot run {}: {}", arguments[0], std::strerror(failed));
  return pid;
}

// Feeds standard input and collects both outputs until the program has closed them.
class Conversation {
 public:
  Conversation(pid_t pid, const ProgramInput& input, int in, int out, int err)
      : pid_(pid), input_(input), fds_{{{out, POLLIN, 0}, {err, POLLIN, 0}, {in, POLLOUT, 0}}} {
    fcntl(in, F_SETFL, O_NONBLOCK);
  }

  void Run(ProgramResult& result) {
    while (fds_[0].fd >= 0 || fds_[1].fd >= 0) {
      SendSignals(result);
      poll(fds_.data(), fds_.size(), 20);
      Read(fds_[0], result.out);
      Read(fds_[1], result.err);
      Write(fds_[2]);
    }
  }

 private:
  void SendSignals(const ProgramResult& result) {
    const auto elapsed = Clock::now() - start_;
    if (!interrupted_ && input_.interrupt_on_output && !result.out.empty()) {
      interrupted_ = true;
      kill(pid_, SIGINT);
    }
    if (!terminated_ && input_.terminate_when && input_.terminate_when(pid_, result)) {
      terminated_ = true;
      kill(pid_, SIGTERM);
    }
    if (elapsed > input_.kill_after) kill(pid_, SIGKILL);
  }
  static void Read(pollfd& from, std::string& to) {
    if (from.fd < 0 || from.revents == 0) return;
    std::array<char, 65536> buffer{};
    const ssize_t got = read(from.fd, buffer.data(), buffer.size());
    if (got > 0) {
      to.append(buffer.data(), static_cast<size_t>(got));
    } else {
      close(from.fd);
      from.fd = -1;
    }
  }
  void Write(pollfd& to) {
    if (to.fd < 0 || (to.revents == 0 && written_ < input_.standard_input.size())) return;
    const std::string_view rest = std::string_view(input_.standard_input).substr(written_);
    const ssize_t put = rest.empty() ? 0 : write(to.fd, rest.data(), rest.size());
    if (put > 0) written_ += static_cast<size_t>(put);
    if (written_ == input_.standard_input.size() || (put < 0 && errno != EAGAIN)) {
      close(to.fd);
      to.fd = -1;
    }
  }

  pid_t pid_;
  const ProgramInput& input_;
  std::array<pollfd, 3> fds_;
  Clock::time_point start_ = Clock::now();
  bool interrupted_ = false;
  bool terminated_ = false;
  size_t written_ = 0;
};

}  // namespace

ProgramResult RunOcelli(const std::vector<std::string>& arguments, const ProgramInput& input) {
  signal(SIGPIPE, SIG_IGN);  // the program may end before it has read its input
  std::vector<std::string> command = input.launcher;
  command.emplace_back(OCELLI_PROGRAM);
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Pipe in;
  const Pipe out;
  const Pipe err;
  const Clock::time_point start = Clock::now();
  const pid_t pid = Spawn(std::move(command), input, in, out, err);
  for (int ours : {in.reader(), out.writer(), err.writer()}) close(ours);
  ProgramResult result;
  Conversation(pid, input, in.writer(), out.reader(), err.reader()).Run(result);
  int status = 0;
  waitpid(pid, &status, 0);
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace ocelli
