#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <string>

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

TEST(Tls, AnswersUnderTlsAndIgnoresPlainClients) {
  const TestDirectory directory;
  WriteCertificate(directory);
  TestServerOptions options;
  options.server.tls_certificate = directory.path() / "cert.pem";
  options.server.tls_key = directory.path() / "key.pem";
  TestServer server(options);
  RawClient plain(server.port());
  plain.Send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(plain.ReadAnswer().status, 0);

  asio::io_context io;
  asio::ssl::context context(asio::ssl::context::tls_client);
  asio::ssl::stream<asio::ip::tcp::socket> stream(io, context);
  stream.next_layer().connect({asio::ip::address_v4::loopback(), server.port()});
  stream.handshake(asio::ssl::stream_base::client);
  const std::string request = RequestText("POST", "/v1/chat/completions",
                                          ChatBody("hello", 5, true), "Connection: close\r\n");
  asio::write(stream, asio::buffer(request));
  std::string answer;
  boost::system::error_code error;
  asio::read(stream, asio::dynamic_buffer(answer), error);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK")) << answer;
  EXPECT_NE(answer.find("data: [DONE]"), std::string::npos);
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
