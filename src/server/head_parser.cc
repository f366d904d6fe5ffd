#include "server/head_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <string>

namespace ocelli::server {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;

std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

// Makes an HttpRequest of what Beast's parser finds. Bodies are read elsewhere.
class Collector : public http::basic_parser<true> {
 public:
  HttpRequest request;

 private:
  void on_request_impl(http::verb, boost::beast::string_view method,
                       boost::beast::string_view target, int version, error_code&) override {
    request.method = View(method);
    request.path = View(target);
    request.version = version;
  }
  void on_field_impl(http::field, boost::beast::string_view name, boost::beast::string_view value,
                     error_code&) override {
    request.fields.emplace_back(LowerCase(View(name)), View(value));
  }
  void on_header_impl(error_code&) override {
    request.chunked = chunked();
    request.keep_alive = keep_alive();
    if (const auto length = content_length()) request.content_length = *length;
  }

  void on_response_impl(int, boost::beast::string_view, int, error_code&) override {}
  void on_body_init_impl(const boost::optional<uint64_t>&, error_code&) override {}
  size_t on_body_impl(boost::beast::string_view, error_code&) override { return 0; }
  void on_chunk_header_impl(uint64_t, boost::beast::string_view, error_code&) override {}
  size_t on_chunk_body_impl(uint64_t, boost::beast::string_view, error_code&) override { return 0; }
  void on_finish_impl(error_code&) override {}
};

HttpFault FaultOf(const error_code& error, size_t max_header_bytes) {
  if (error == http::error::header_limit) {
    return {431,
            fmt::format("the head of the request has more than {} bytes, which is the limit",
                        max_header_bytes),
            ""};
  }
  if (error == http::error::bad_version) return {505, "only HTTP/1.0 and HTTP/1.1 are spoken", ""};
  return {400, fmt::format("this is no HTTP request: {}", error.message()), ""};
}

// Refuses what could be understood in two ways.
std::optional<HttpFault> Ambiguity(const HttpRequest& request) {
  if (const std::string* encoding = request.Find("transfer-encoding")) {
    if (request.version < 11) {
      return HttpFault{400, "an HTTP/1.0 request cannot have a Transfer-Encoding", ""};
    }
    if (!request.chunked || LowerCase(Trimmed(*encoding)) != "chunked") {
      return HttpFault{501, "a body may come in chunks, and in no other transfer encoding", ""};
    }
  }
  const auto hosts = std::count_if(request.fields.begin(), request.fields.end(),
                                   [](const HttpField& field) { return field.first == "host"; });
  if (hosts > 1 || (hosts == 0 && request.version >= 11)) {
    return HttpFault{400, fmt::format("the request has {} Host fields, it must have one", hosts),
                     ""};
  }
  return std::nullopt;
}

}  // namespace

class HeadParser::Impl {
 public:
  explicit Impl(size_t max_header_bytes) : max_header_bytes_(max_header_bytes) {
    collector_.header_limit(static_cast<uint32_t>(max_header_bytes));
    collector_.skip(true);
  }

  size_t Put(std::string_view input) {
    error_code error;
    const size_t used = collector_.put(boost::asio::buffer(input.data(), input.size()), error);
    if (error && error != http::error::need_more) {
      fault_ = FaultOf(error, max_header_bytes_);
    } else if (done()) {
      fault_ = Ambiguity(collector_.request);
    }
    return used;
  }

  bool done() const { return collector_.is_header_done(); }
  const std::optional<HttpFault>& fault() const { return fault_; }
  HttpRequest& request() { return collector_.request; }

 private:
  const size_t max_header_bytes_;
  Collector collector_;
  std::optional<HttpFault> fault_;
};

HeadParser::HeadParser(size_t max_header_bytes) : impl_(std::make_unique<Impl>(max_header_bytes)) {}
HeadParser::~HeadParser() = default;

size_t HeadParser::Put(std::string_view input) { return impl_->Put(input); }
bool HeadParser::done() const { return impl_->done(); }
const std::optional<HttpFault>& HeadParser::fault() const { return impl_->fault(); }
HttpRequest& HeadParser::request() { return impl_->request(); }

}  // namespace ocelli::server
