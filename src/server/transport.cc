#include "server/transport.h"

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <utility>

namespace ocelli::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

void ShutdownSendOf(tcp::socket& socket) {
  error_code ignored;
  socket.shutdown(tcp::socket::shutdown_send, ignored);
}

void CloseSocket(tcp::socket& socket) {
  error_code ignored;
  socket.close(ignored);
}

class PlainTransport : public Transport {
 public:
  explicit PlainTransport(tcp::socket socket) : socket_(std::move(socket)) {}

  asio::any_io_executor executor() override { return socket_.get_executor(); }
  void Handshake(Handler handler) override {
    asio::post(executor(), [handler = std::move(handler)] { handler({}, 0); });
  }
  void ReadSome(asio::mutable_buffer buffer, Handler handler) override {
    socket_.async_read_some(buffer, std::move(handler));
  }
  void WriteSome(asio::const_buffer buffer, Handler handler) override {
    socket_.async_write_some(buffer, std::move(handler));
  }
  void ShutdownSend(bool) override { ShutdownSendOf(socket_); }
  void Close() override { CloseSocket(socket_); }

 private:
  tcp::socket socket_;
};

class TlsTransport : public Transport {
 public:
  TlsTransport(tcp::socket socket, asio::ssl::context& context)
      : stream_(std::move(socket), context) {}

  asio::any_io_executor executor() override { return stream_.get_executor(); }
  void Handshake(Handler handler) override {
    stream_.async_handshake(
        asio::ssl::stream_base::server,
        [handler = std::move(handler)](const error_code& error) { handler(error, 0); });
  }
  void ReadSome(asio::mutable_buffer buffer, Handler handler) override {
    stream_.async_read_some(buffer, std::move(handler));
  }
  void WriteSome(asio::const_buffer buffer, Handler handler) override {
    stream_.async_write_some(buffer, std::move(handler));
  }
  void ShutdownSend(bool whole) override {
    if (whole && SSL_is_init_finished(stream_.native_handle()) != 0) SendCloseNotify();
    ShutdownSendOf(stream_.next_layer());
  }
  void Close() override { CloseSocket(stream_.next_layer()); }

 private:
  // The stream's own shutdown would wait for the client's farewell and fail on what it still sends,
  // such as the rest of a refused body. So the record is made aside and sent by hand; a client that
  // does not even take these few bytes goes without.
  void SendCloseNotify() {
    BIO* record = BIO_new(BIO_s_mem());
    if (record == nullptr) return;
    SSL_set0_wbio(stream_.native_handle(), record);  // owns it from here on
    SSL_shutdown(stream_.native_handle());
    char* bytes = nullptr;
    const auto count = static_cast<size_t>(BIO_get_mem_data(record, &bytes));
    error_code ignored;
    stream_.next_layer().non_blocking(true, ignored);
    stream_.next_layer().write_some(asio::buffer(bytes, count), ignored);
  }

  asio::ssl::stream<tcp::socket> stream_;
};

}  // namespace

std::unique_ptr<Transport> MakePlainTransport(tcp::socket socket) {
  return std::make_unique<PlainTransport>(std::move(socket));
}

std::unique_ptr<Transport> MakeTlsTransport(tcp::socket socket, asio::ssl::context& context) {
  return std::make_unique<TlsTransport>(std::move(socket), context);
}

}  // namespace ocelli::server
