#include "server/test_server.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "base/check.h"
#include "engine/fake_model_runner.h"
#include "engine/test_engine.h"

namespace ocelli::server::testing {
namespace {

using nlohmann::json;
using std::chrono::seconds;

void AlwaysA(TokenId, size_t, std::span<float> logits) {
  std::fill(logits.begin(), logits.end(), 0.0f);
  logits['a'] = 100.0f;
}

void Append(std::string& bytes, uint32_t value, int num_bytes) {
  for (int i = 0; i < num_bytes; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
}

json ChatJson(json content, size_t max_tokens, bool stream) {
  json message = {{"role", "user"}, {"content", std::move(content)}};
  return {{"messages", json::array({std::move(message)})},
          {"max_tokens", max_tokens},
          {"stream", stream}};
}

}  // namespace

void Gate::Pass() {
  std::unique_lock lock(mutex_);
  arrived_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return open_; });
}

void Gate::Close() {
  const std::lock_guard lock(mutex_);
  open_ = false;
  arrived_ = false;
}

void Gate::Open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
  changed_.notify_all();
}

bool Gate::WaitForArrival() {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, seconds(30), [this] { return arrived_; });
}

TestServerOptions::TestServerOptions() : engine(SmallOptions(2000, 4000)) {
  server.port = 0;
  server.drain_timeout = seconds(20);
}

TestServer::TestServer(const TestServerOptions& options) {
  auto runner = std::make_unique<FakeModelRunner>(AlwaysA);
  runner->on_forward = [this, step = options.step] {
    gate_.Pass();
    if (step.count() > 0) std::this_thread::sleep_for(step);
  };
  auto engine = Engine::Create(options.engine, std::move(runner), ByteTokenizer());
  OCELLI_CHECK(engine.ok(), "{}", engine.error().message);
  engine_ = std::move(engine).value();
  service_.engine = engine_.get();
  service_.tokenizer = ByteTokenizer();
  service_.processor.min_pixels = 32 * 32;
  service_.model_id = "test-model";
  service_.system_fingerprint = "fp_test";
  service_.created = 1;
  service_.max_context_tokens = 4096;
  service_.vocab_size = FakeModelRunner::kVocabSize;
  service_.max_queue = options.engine.max_queue;
  auto server = Server::Start(options.server);
  OCELLI_CHECK(server.ok(), "{}", server.error().message);
  server_ = std::move(server).value();
  if (options.set_service) server_->SetService(service_);
}

TestServer::~TestServer() {
  gate_.Open();
  server_.reset();
}

bool TestServer::WaitFor(const std::function<bool(const EngineStats&)>& done) {
  const auto end = std::chrono::steady_clock::now() + seconds(30);
  while (!done(engine_->Stats())) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

std::string PictureBytes(uint8_t red, int side_px) {
  const auto side = static_cast<uint32_t>(side_px);
  const uint32_t row_bytes = (side * 3 + 3) / 4 * 4;
  std::string bytes = "BM";
  Append(bytes, 54 + row_bytes * side, 4);
  Append(bytes, 0, 4);
  Append(bytes, 54, 4);
  Append(bytes, 40, 4);
  Append(bytes, side, 4);
  Append(bytes, side, 4);
  Append(bytes, 1, 2);
  Append(bytes, 24, 2);
  Append(bytes, 0, 4);
  Append(bytes, row_bytes * side, 4);
  Append(bytes, 0, 4);
  Append(bytes, 0, 4);
  Append(bytes, 0, 4);
  Append(bytes, 0, 4);
  std::string row;
  for (uint32_t x = 0; x < side; ++x) row += {'\x10', '\x20', static_cast<char>(red)};
  row.resize(row_bytes);
  for (uint32_t y = 0; y < side; ++y) bytes += row;
  return bytes;
}

std::string Base64(const std::string& bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  uint32_t bits = 0;
  int num_bits = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<uint8_t>(c);
    num_bits += 8;
    while (num_bits >= 6) {
      num_bits -= 6;
      text += kDigits[bits >> num_bits & 63];
    }
  }
  if (num_bits > 0) text += kDigits[bits << (6 - num_bits) & 63];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::string PictureUrl(uint8_t red) { return "data:image/png;base64," + Base64(PictureBytes(red)); }

std::string ChatBody(const std::string& text, size_t max_tokens, bool stream) {
  return ChatJson(text, max_tokens, stream).dump();
}

std::string PictureChatBody(const std::string& url, size_t max_tokens, bool stream) {
  json picture = {{"type", "image_url"}, {"image_url", {{"url", url}}}};
  json question = {{"type", "text"}, {"text", "what?"}};
  return ChatJson(json::array({std::move(picture), std::move(question)}), max_tokens, stream)
      .dump();
}

}  // namespace ocelli::server::testing
