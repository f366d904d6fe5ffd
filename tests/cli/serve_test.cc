#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "golden_case.h"
#include "gtest/gtest.h"
#include "run_program.h"

// `ocelli serve` as a process: start, announcement, stop. What it answers is tested in its room.

namespace ocelli {
namespace {

const std::string kModel = (GoldenDirectory() / "checkpoint_tied").string();

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

TEST(Serve, WhatCannotWorkIsSaidBeforeTheModelIsLoaded) {
  EXPECT_EQ(RunOcelli({"serve", "--host", "nowhere", "--model", kModel}).exit_code, 2);
  EXPECT_EQ(RunOcelli({"serve", "--port", "0", "--api-key", "", "--model", kModel}).exit_code, 2);
  EXPECT_EQ(RunOcelli({"serve", "--port", "0", "--tls-cert", "x", "--model", kModel}).exit_code, 2);
  EXPECT_EQ(RunOcelli({"serve", "--port", "0", "--model", "/missing"}).exit_code, 1);
}

TEST(Serve, ATakenPortIsNamed) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  socklen_t size = sizeof(address);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  const std::string port = std::to_string(ntohs(address.sin_port));
  const ProgramResult result = RunOcelli({"serve", "--port", port, "--model", kModel});
  close(listener);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find(port), std::string::npos) << result.err;
}

}  // namespace
}  // namespace ocelli
