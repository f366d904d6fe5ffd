#include "cli/serve_options.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

#include "base/test_directory.h"

namespace ocelli::cli {
namespace {

ServeOptions Parsed(const std::string& line) {
  CLI::App app;
  ServeOptions options;
  AddServeOptions(app, options);
  app.parse(line);
  return options;
}

TEST(ServeOptions, DefaultsAreTheServersOwn) {
  const ServeOptions options = Parsed("");
  EXPECT_EQ(options.server.host, "127.0.0.1");
  EXPECT_EQ(options.server.port, 7860);
  EXPECT_TRUE(options.server.image_hosts.empty());
  EXPECT_EQ(options.server.drain_timeout, std::chrono::seconds(30));
}

TEST(ServeOptions, AreReadWithTheirUnits) {
  const ServeOptions options = Parsed(
      "--port 0 --max-body 2M --drain-seconds 5 --allow-image-hosts a.example --allow-image-hosts "
      "b.example --max-queue 7");
  EXPECT_EQ(options.server.port, 0);
  EXPECT_EQ(options.server.max_body_bytes, size_t{2} << 20);
  EXPECT_EQ(options.server.drain_timeout, std::chrono::seconds(5));
  EXPECT_EQ(options.server.image_hosts, (std::vector<std::string>{"a.example", "b.example"}));
  EXPECT_EQ(options.engine.max_queue, 7u);
  EXPECT_THROW(Parsed("--port 70000"), CLI::ParseError);
  EXPECT_THROW(Parsed("--drain-seconds -1"), CLI::ParseError);
}

TEST(ServeOptions, KeysComeFromOptionsAndFile) {
  const testing::TestDirectory directory;
  ServeOptions options = Parsed("--api-key one --api-key two");
  options.api_key_file = directory.Write("keys", "# comment\n\n three \r\nfour").string();
  ASSERT_TRUE(CompleteServeOptions(options).ok());
  EXPECT_EQ(options.server.api_keys, (std::vector<std::string>{"one", "two", "three", "four"}));
}

TEST(ServeOptions, ABasePathStandsInAddressesAsItIs) {
  ServeOptions options;
  for (const std::string path : {"", "/", "/ocelli", "/tools/ocelli-2.0/", "/~me/a_b"}) {
    options.server.base_path = path;
    EXPECT_TRUE(CompleteServeOptions(options).ok()) << path;
  }
  for (const std::string path :
       {"ocelli", "//evil.example", "/a//b", "/a b", "/a?b", "/\r\nX: y"}) {
    options.server.base_path = path;
    const Status status = CompleteServeOptions(options);
    ASSERT_FALSE(status.ok()) << path;
    EXPECT_EQ(status.error().param, "base_path");
  }
}

TEST(ServeOptions, WhatWouldLetEverybodyInIsAnError) {
  const testing::TestDirectory directory;
  ServeOptions empty_key;
  empty_key.server.api_keys = {""};
  EXPECT_FALSE(CompleteServeOptions(empty_key).ok());
  ServeOptions empty_file;
  empty_file.api_key_file = directory.Write("keys", "# none\n").string();
  EXPECT_FALSE(CompleteServeOptions(empty_file).ok());
  ServeOptions no_file;
  no_file.api_key_file = (directory.path() / "missing").string();
  EXPECT_EQ(CompleteServeOptions(no_file).error().code, ErrorCode::kNotFound);
}

TEST(ServeOptions, SmallMachinesKeepLess) {
  server::ServerOptions large;
  FitToMemory(uint64_t{64} << 30, large);
  EXPECT_EQ(large.body_memory_bytes, server::ServerOptions().body_memory_bytes);
  EXPECT_EQ(large.decode_memory_bytes, server::ServerOptions().decode_memory_bytes);
  server::ServerOptions small;
  FitToMemory(uint64_t{4} << 30, small);
  EXPECT_EQ(small.body_memory_bytes, size_t{128} << 20);
  EXPECT_EQ(small.picture_memory_bytes, size_t{128} << 20);
  EXPECT_EQ(small.picture_store_bytes, uint64_t{128} << 20);
  EXPECT_EQ(small.decode_memory_bytes, (size_t{4} << 30) / 20);  // 53 megapixels
  server::ServerOptions tiny;
  FitToMemory(uint64_t{100} << 20, tiny);
  EXPECT_EQ(tiny.body_memory_bytes, tiny.max_body_bytes);  // one body always fits
}

}  // namespace
}  // namespace ocelli::cli
