#include "server/picture_fetcher.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "base/quoted.h"
#include "server/address_rules.h"
#include "server/http_message.h"

namespace ocelli::server {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kMaxRedirects = 5;
constexpr milliseconds kConnectTimeout{8'000};
constexpr size_t kMaxUrlBytes = 8192;

struct CurlDeleter {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Curl = std::unique_ptr<CURL, CurlDeleter>;
using CurlUrl = std::unique_ptr<CURLU, CurlDeleter>;

Error Invalid(std::string message) {
  return Error{ErrorCode::kInvalidArgument, std::move(message), ""};
}

std::string PartOf(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return "";
  std::string copy(text);
  curl_free(text);
  return copy;
}

// Where one hop of a fetch goes.
struct Target {
  std::string url;
  std::string host;
  bool named = false;  // in the list itself: private networks are fine
};

Result<Target> CheckUrl(const std::string& text, const HostList& hosts) {
  if (text.size() > kMaxUrlBytes) return Invalid("the URL of the picture is too long");
  const CurlUrl url(curl_url());
  if (!url ||
      curl_url_set(url.get(), CURLUPART_URL, text.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) {
    return Invalid("the URL of the picture cannot be read");
  }
  const std::string scheme = LowerCase(PartOf(url.get(), CURLUPART_SCHEME));
  if (scheme != "http" && scheme != "https") {
    return Invalid("pictures are fetched by http and https only");
  }
  if (!PartOf(url.get(), CURLUPART_USER).empty() ||
      !PartOf(url.get(), CURLUPART_PASSWORD).empty()) {
    return Invalid("the URL of a picture may not hold a user name or password");
  }
  Target target;
  target.host = PartOf(url.get(), CURLUPART_HOST);
  const std::string port_text = PartOf(url.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  int port = 0;
  std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
  target.url = PartOf(url.get(), CURLUPART_URL);
  target.named = hosts.Names(target.host, port);
  if (target.host.empty() || !hosts.Allows(target.host, port)) {
    return Invalid(fmt::format("pictures may not be fetched from {} (--allow-image-hosts)",
                               Quoted(target.host)));
  }
  return target;
}

// What the callbacks of one transfer share.
struct Transfer {
  const Target& target;
  const size_t max_bytes;
  const std::atomic<bool>& cancelled;
  std::vector<std::byte> bytes;
  bool too_large = false;
  bool refused_address = false;
};

curl_socket_t OpenSocket(void* user, curlsocktype purpose, curl_sockaddr* address) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (purpose != CURLSOCKTYPE_IPCXN) return CURL_SOCKET_BAD;
  if (!transfer.target.named && !IsPublicAddress(address->addr)) {
    transfer.refused_address = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

size_t WriteBytes(char* data, size_t, size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (count > transfer.max_bytes - transfer.bytes.size()) {
    transfer.too_large = true;
    return 0;
  }
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  transfer.bytes.insert(transfer.bytes.end(), begin, begin + count);
  return count;
}

int CheckCancelled(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Transfer*>(user)->cancelled.load() ? 1 : 0;
}

void Configure(CURL* curl, Transfer& transfer, milliseconds timeout) {
  curl_easy_setopt(curl, CURLOPT_URL, transfer.target.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_PROXY, "");  // not even one that the environment names
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "ocelli/" OCELLI_VERSION);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(kConnectTimeout.count()));
  curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, OpenSocket);
  curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, WriteBytes);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, CheckCancelled);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);
}

Error TransferError(CURLcode code, const Transfer& transfer) {
  const std::string host = Quoted(transfer.target.host);
  if (transfer.cancelled.load()) return Error{ErrorCode::kCancelled, "the client left", ""};
  if (transfer.too_large) {
    return Error{ErrorCode::kTooLarge,
                 fmt::format("the picture from {} has more than {} bytes, which is the limit", host,
                             transfer.max_bytes),
                 ""};
  }
  if (transfer.refused_address) {
    return Invalid(
        fmt::format("{} is not an address of the open Internet; --allow-image-hosts can "
                    "name it",
                    host));
  }
  return Error{
      ErrorCode::kIo,
      fmt::format("the picture cannot be fetched from {}: {}", host, curl_easy_strerror(code)), ""};
}

// What one hop gave: the picture, or where to go on.
struct Hop {
  std::vector<std::byte> bytes;
  std::optional<std::string> redirect;
};

Result<Hop> FetchOnce(const Target& target, size_t max_bytes, milliseconds timeout,
                      const std::atomic<bool>& cancelled) {
  const Curl curl(curl_easy_init());
  if (!curl) return Error{ErrorCode::kResourceExhausted, "no memory to fetch a picture", ""};
  Transfer transfer{target, max_bytes, cancelled, {}};
  Configure(curl.get(), transfer, timeout);
  const CURLcode code = curl_easy_perform(curl.get());
  if (code != CURLE_OK) return TransferError(code, transfer);
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  const char* redirect = nullptr;
  curl_easy_getinfo(curl.get(), CURLINFO_REDIRECT_URL, &redirect);
  if (redirect != nullptr) return Hop{{}, redirect};
  if (status == 200) return Hop{std::move(transfer.bytes), std::nullopt};
  return Error{ErrorCode::kIo,
               fmt::format("{} answered {} instead of the picture", Quoted(target.host), status),
               ""};
}

}  // namespace

PictureFetcher::PictureFetcher(HostList hosts, size_t max_bytes, milliseconds timeout)
    : hosts_(std::move(hosts)), max_bytes_(max_bytes), timeout_(timeout) {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  (void)initialised;
}

Result<std::vector<std::byte>> PictureFetcher::Fetch(const std::string& url,
                                                     const std::atomic<bool>& cancelled) const {
  if (!enabled()) {
    return Invalid(
        "pictures are not fetched from the network here (--allow-image-hosts); send the "
        "picture as a data URL, data:image/png;base64,...");
  }
  const Clock::time_point end = Clock::now() + timeout_;
  std::string next = url;
  for (int i = 0; i <= kMaxRedirects; ++i) {
    OCELLI_ASSIGN_OR_RETURN(const Target target, CheckUrl(next, hosts_));
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
    OCELLI_ASSIGN_OR_RETURN(
        Hop hop, FetchOnce(target, max_bytes_, std::max(left, milliseconds(1)), cancelled));
    if (!hop.redirect) return std::move(hop.bytes);
    next = std::move(*hop.redirect);
  }
  return Error{ErrorCode::kIo, fmt::format("the picture moved more than {} times", kMaxRedirects),
               ""};
}

}  // namespace ocelli::server
