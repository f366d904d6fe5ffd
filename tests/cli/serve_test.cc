#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/test_directory.h"
#include "golden_case.h"
#include "gtest/gtest.h"
#include "run_program.h"

// `ocelli serve` as a process: start, announcement, stop. What it answers is tested in its room.

namespace ocelli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kModel = (GoldenDirectory() / "checkpoint_tied").string();

// A socket on a free port of this machine.
class Listener {
 public:
  Listener() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = Loopback(0);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    socklen_t size = sizeof(address);
    getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  static sockaddr_in Loopback(uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
  }
  void Listen() { ASSERT_EQ(listen(socket_, 1), 0); }
  uint16_t port() const { return port_; }

 private:
  int socket_;
  uint16_t port_ = 0;
};

// Returns what the server on `port` says to GET `path`; "" while nobody listens there.
std::string Get(uint16_t port, const std::string& path) {
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Listener::Loopback(port);
  std::string answer;
  if (connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    const std::string request = "GET " + path + " HTTP/1.0\r\n\r\n";
    static_cast<void>(!write(client, request.data(), request.size()));
    std::string buffer(4096, '\0');
    for (ssize_t got = 1; got > 0;) {
      got = read(client, buffer.data(), buffer.size());
      if (got > 0) answer.append(buffer, 0, static_cast<size_t>(got));
    }
  }
  close(client);
  return answer;
}

// Returns how often the threads of a process have gone to sleep.
int64_t Sleeps(int pid) {
  int64_t sleeps = 0;
  std::error_code ignored;
  for (const auto& thread : fs::directory_iterator(fmt::format("/proc/{}/task", pid), ignored)) {
    std::ifstream status(thread.path() / "status");
    for (std::string line; std::getline(status, line);) {
      std::istringstream words(line);
      std::string name;
      int64_t count = 0;
      if (words >> name >> count && name == "voluntary_ctxt_switches:") sleeps += count;
    }
  }
  return sleeps;
}

// Writes the config of a model whose random weights take seconds to make.
void WriteSlowModel(const ocelli::testing::TestDirectory& directory) {
  json config = json::parse(std::ifstream(fs::path(kModel) / "config.json"));
  config["text_config"]["num_hidden_layers"] = 64;
  config["text_config"]["intermediate_size"] = 20'000;
  directory.Write("config.json", config.dump());
  for (const char* name : {"generation_config.json", "preprocessor_config.json"}) {
    fs::copy(fs::path(kModel) / name, directory.path() / name);
  }
}

TEST(Serve, SaysWhereItListensAndStopsCleanlyWhenAsked) {
  ProgramInput input;
  input.interrupt_on_output = true;
  const ProgramResult result = RunOcelli(
      {"serve", "--port", "0", "--model", kModel, "--model-name", "tied", "--threads", "2"}, input);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("Ocelli listens on http://127.0.0.1:"), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("with tied"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("2 threads"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("stops"), std::string::npos) << result.err;
}

TEST(Serve, ASignalWhileTheModelLoadsEndsItAtOnce) {
  const ocelli::testing::TestDirectory directory;
  WriteSlowModel(directory);
  const uint16_t port = Listener().port();
  ProgramInput input;
  input.terminate_when = [&](int, const ProgramResult&) {
    return Get(port, "/ready").find("loading weights") != std::string::npos;
  };
  const ProgramResult result =
      RunOcelli({"serve", "--port", std::to_string(port), "--load-format", "dummy", "--config",
                 directory.path().string(), "--threads", "1"},
                input);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("stops before the model is loaded"), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "") << "it went on loading";
}

TEST(Serve, WithNothingToDoItSleeps) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start;
  int64_t before = 0;
  int64_t after = 0;
  ProgramInput input;
  input.terminate_when = [&](int pid, const ProgramResult& result) {
    if (result.out.find("listens") == std::string::npos) return false;
    if (start == Clock::time_point()) start = Clock::now();
    const auto passed = Clock::now() - start;
    if (before == 0 && passed > std::chrono::milliseconds(200)) before = Sleeps(pid);
    if (passed < std::chrono::milliseconds(2200)) return false;
    after = Sleeps(pid);
    return true;
  };
  const ProgramResult result =
      RunOcelli({"serve", "--port", "0", "--model", kModel, "--threads", "2"}, input);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_GT(before, 0);
  EXPECT_LE(after - before, 1) << "wakes in two seconds";
}

TEST(Serve, WhatCannotWorkIsSaidBeforeTheModelIsLoaded) {
  EXPECT_EQ(RunOcelli({"serve", "--host", "nowhere", "--model", kModel}).exit_code, 2);
  EXPECT_EQ(RunOcelli({"serve", "--port", "0", "--api-key", "", "--model", kModel}).exit_code, 2);
  EXPECT_EQ(RunOcelli({"serve", "--port", "0", "--tls-cert", "x", "--model", kModel}).exit_code, 2);
  EXPECT_EQ(RunOcelli({"serve", "--port", "0", "--model", "/missing"}).exit_code, 1);
}

TEST(Serve, ATakenPortIsNamed) {
  Listener listener;
  listener.Listen();
  const std::string port = std::to_string(listener.port());
  const ProgramResult result = RunOcelli({"serve", "--port", port, "--model", kModel});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find(port), std::string::npos) << result.err;
}

}  // namespace
}  // namespace ocelli
