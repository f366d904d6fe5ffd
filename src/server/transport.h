#ifndef OCELLI_SERVER_TRANSPORT_H_
#define OCELLI_SERVER_TRANSPORT_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <functional>
#include <memory>

namespace ocelli::server {

// A connected socket, plain or under TLS. At most one read and one write at a time; handlers run on
// its strand. **Threads**: the strand.
class Transport {
 public:
  using Handler = std::function<void(const boost::system::error_code&, size_t)>;

  virtual ~Transport() = default;
  virtual boost::asio::any_io_executor executor() = 0;
  // Shakes hands where the protocol has that; the handler always comes.
  virtual void Handshake(Handler handler) = 0;
  virtual void ReadSome(boost::asio::mutable_buffer buffer, Handler handler) = 0;
  virtual void WriteSome(boost::asio::const_buffer buffer, Handler handler) = 0;
  // Says that nothing more will be sent; reading goes on. Unless what was sent is `whole` a client
  // under TLS is left to see that it was cut off.
  virtual void ShutdownSend(bool whole) = 0;
  // Ends everything; pending handlers come with an error.
  virtual void Close() = 0;
};

// The executor of `socket` must be a strand.
std::unique_ptr<Transport> MakePlainTransport(boost::asio::ip::tcp::socket socket);
std::unique_ptr<Transport> MakeTlsTransport(boost::asio::ip::tcp::socket socket,
                                            boost::asio::ssl::context& context);

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_TRANSPORT_H_
