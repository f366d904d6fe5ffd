#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/test_directory.h"
#include "server/test_client.h"
#include "server/test_server.h"

namespace ocelli::server::testing {
namespace {

namespace asio = boost::asio;
using ocelli::testing::TestDirectory;

template <typename T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

// Writes a key and a certificate for it, signed by itself.
void WriteCertificate(const TestDirectory& directory) {
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const Owned<X509> certificate(X509_new(), X509_free);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  FILE* file = std::fopen((directory.path() / "key.pem").c_str(), "w");
  PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(file);
  file = std::fopen((directory.path() / "cert.pem").c_str(), "w");
  PEM_write_X509(file, certificate.get());
  std::fclose(file);
}

// A server under TLS and a client of it that does not look at the certificate.
class TlsTest : public ::testing::Test {
 protected:
  using Error = boost::system::error_code;

  void SetUp() override {
    WriteCertificate(directory_);
    options_.server.tls_certificate = directory_.path() / "cert.pem";
    options_.server.tls_key = directory_.path() / "key.pem";
  }
  void Connect() {
    server_.emplace(options_);
    stream_.next_layer().connect({asio::ip::address_v4::loopback(), server_->port()});
    stream_.handshake(asio::ssl::stream_base::client);
  }
  void Send(const std::string& bytes) { asio::write(stream_, asio::buffer(bytes)); }
  // Reads to the end of the connection. Returns how it ended: "end of file" is TLS's own farewell.
  Error ReadAll(std::string& answer) {
    Error error;
    asio::read(stream_, asio::dynamic_buffer(answer), error);
    return error;
  }

  const TestDirectory directory_;
  TestServerOptions options_;
  std::optional<TestServer> server_;
  asio::io_context io_;
  asio::ssl::context context_{asio::ssl::context::tls_client};
  asio::ssl::stream<asio::ip::tcp::socket> stream_{io_, context_};
};

TEST_F(TlsTest, AnswersUnderTlsAndIgnoresPlainClients) {
  Connect();
  RawClient plain(server_->port());
  plain.Send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(plain.ReadAnswer().status, 0);
  Send(RequestText("POST", "/v1/chat/completions", ChatBody("hello", 5, true),
                   "Connection: close\r\n"));
  std::string answer;
  EXPECT_EQ(ReadAll(answer), asio::error::eof);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK")) << answer;
  EXPECT_NE(answer.find("data: [DONE]"), std::string::npos);
}

TEST_F(TlsTest, AnEndCanBeToldFromACut) {
  options_.step = std::chrono::milliseconds(2);
  Connect();
  const std::string body = ChatBody("hello", 3900, true);
  Send("POST /v1/chat/completions HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: " +
       std::to_string(body.size()) + "\r\n\r\n" + body);
  std::string answer;
  asio::read_until(stream_, asio::dynamic_buffer(answer), R"("content":"a")");
  server_->StopServer();
  EXPECT_NE(ReadAll(answer), asio::error::eof);
  EXPECT_EQ(answer.find("[DONE]"), std::string::npos);
}

TEST_F(TlsTest, AnIdleConnectionIsEndedInOrder) {
  Connect();
  Send(RequestText("GET", "/health", "", ""));
  std::string answer;
  asio::read_until(stream_, asio::dynamic_buffer(answer), "\"ok\"}");
  std::thread drain([&] { server_->server().Drain(); });
  EXPECT_EQ(ReadAll(answer), asio::error::eof);
  stream_.next_layer().close();
  drain.join();
}

TEST_F(TlsTest, ARefusedBodyMayStillComeAndTheAnswerIsRead) {
  options_.server.api_keys = {"key"};
  Connect();
  Send("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000000\r\n\r\n");
  Error error;
  const std::string piece(100'000, 'x');
  for (int i = 0; i < 40 && !error; ++i) asio::write(stream_, asio::buffer(piece), error);
  EXPECT_FALSE(error) << error.message();
  std::string answer;
  EXPECT_EQ(ReadAll(answer), asio::error::eof);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 401")) << answer;
}

TEST(Tls, FilesThatCannotBeUsedAreNamed) {
  const TestDirectory directory;
  ServerOptions options;
  options.port = 0;
  options.tls_certificate = directory.path() / "missing.pem";
  EXPECT_EQ(Server::Start(options).error().code, ErrorCode::kInvalidArgument);
  options.tls_key = directory.path() / "missing.key";
  const auto server = Server::Start(options);
  ASSERT_FALSE(server.ok());
  EXPECT_NE(server.error().message.find("missing.pem"), std::string::npos);
}

TEST(Tls, AHostThatIsNoAddressAndATakenPortAreErrors) {
  ServerOptions options;
  options.host = "not an address";
  EXPECT_EQ(Server::Start(options).error().param, "host");
  TestServer first;
  options.host = "127.0.0.1";
  options.port = first.port();
  EXPECT_EQ(Server::Start(options).error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace ocelli::server::testing
