#include "hub/http_client.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "base/quoted.h"

namespace ocelli::hub {
namespace {

constexpr int kMaxRedirects = 8;
constexpr size_t kMaxRefusedBodyBytes = 4096;
constexpr size_t kMaxHeaders = 200;
constexpr size_t kMaxHeaderBytes = 8192;

void StartCurlOnce() {
  [[maybe_unused]] static const CURLcode done = curl_global_init(CURL_GLOBAL_DEFAULT);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

std::string_view TrimBlanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Scheme, host and port of a URL; all empty for what is no URL.
struct Origin {
  std::string scheme;
  std::string host;
  std::string port;
  bool operator==(const Origin&) const = default;
};

std::string UrlPart(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return "";
  std::string copy(text);
  curl_free(text);
  return copy;
}

Origin OriginOf(const std::string& url) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed(curl_url(), curl_url_cleanup);
  if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return {};
  return {Lower(UrlPart(parsed.get(), CURLUPART_SCHEME)),
          Lower(UrlPart(parsed.get(), CURLUPART_HOST)), UrlPart(parsed.get(), CURLUPART_PORT)};
}

bool IsRedirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool StaysAcrossRedirects(const std::string& name) {
  return name.starts_with("x-linked-") || name == "x-repo-commit";
}

}  // namespace

std::string_view HttpResponse::Header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

std::string HttpResponse::Host() const { return HostOf(url); }

std::string HostOf(const std::string& url) { return OriginOf(url).host; }

bool IsPrivateChannel(const std::string& url) {
  const Origin origin = OriginOf(url);
  const bool loopback = origin.host.starts_with("127.") &&
                        origin.host.find_first_not_of("0123456789.") == std::string::npos;
  return origin.scheme == "https" || loopback || origin.host == "localhost" ||
         origin.host == "[::1]";
}

std::string PercentEncode(std::string_view text, bool keep_slash) {
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~' || (c == '/' && keep_slash);
    if (plain) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

// One request with its redirects, on one easy handle.
class HttpClient::Transfer {
 public:
  Transfer(Id id, const HttpRequest& request, Sink sink, const HubSettings& settings,
           std::chrono::milliseconds timeout)
      : id_(id),
        request_(request),
        origin_(OriginOf(request.url)),
        sink_(std::move(sink)),
        handle_(curl_easy_init()) {
    OCELLI_CHECK(handle_ != nullptr, "curl_easy_init");
    SetLimits(settings, timeout);
    SetCallbacks();
    SetTarget(request.url);
  }
  ~Transfer() {
    curl_easy_cleanup(handle_);
    curl_slist_free_all(sent_headers_);
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  Id id() const { return id_; }
  CURL* handle() const { return handle_; }
  HttpResponse TakeResponse() { return std::move(response_); }

  // Takes the end of a hop; returns true when the handle is set up for the next one.
  bool NextHop(CURLcode code) {
    ReadHead();
    if (code != CURLE_OK && !Ignored(code)) {
      response_.broken = Fault(code);
      return false;
    }
    if (IsRedirect(response_.status)) return FollowRedirect();
    if (response_.success() && !Deliver({})) response_.broken = kNotWanted;
    return false;
  }

 private:
  void SetLimits(const HubSettings& settings, std::chrono::milliseconds timeout) {
    curl_easy_setopt(handle_, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle_, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle_, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(handle_, CURLOPT_USERAGENT, "ocelli");
    // Not HTTP/2, which would squeeze the parts of a file through one connection.
    curl_easy_setopt(handle_, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(handle_, CURLOPT_CONNECTTIMEOUT_MS, Count(settings.connect_timeout));
    curl_easy_setopt(handle_, CURLOPT_TIMEOUT_MS, Count(timeout));
    curl_easy_setopt(handle_, CURLOPT_LOW_SPEED_LIMIT, settings.stall_bytes_per_second);
    curl_easy_setopt(handle_, CURLOPT_LOW_SPEED_TIME, Count(settings.stall_time));
    curl_easy_setopt(handle_, CURLOPT_NOBODY, request_.head ? 1L : 0L);
  }
  template <typename Duration>
  static long Count(Duration duration) {         // NOLINT: libcurl's type
    return static_cast<long>(duration.count());  // NOLINT: libcurl's type
  }

  void SetCallbacks() {
    curl_easy_setopt(handle_, CURLOPT_PRIVATE, this);
    curl_easy_setopt(handle_, CURLOPT_ERRORBUFFER, error_.data());
    curl_easy_setopt(handle_, CURLOPT_HEADERFUNCTION, &OnHeader);
    curl_easy_setopt(handle_, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(handle_, CURLOPT_WRITEFUNCTION, &OnData);
    curl_easy_setopt(handle_, CURLOPT_WRITEDATA, this);
  }

  void SetTarget(const std::string& url) {
    response_.url = url;
    curl_easy_setopt(handle_, CURLOPT_URL, url.c_str());
    curl_slist_free_all(std::exchange(sent_headers_, nullptr));
    sent_headers_ = curl_slist_append(nullptr, "Accept-Encoding: identity");
    if (!request_.token.empty() && OriginOf(url) == origin_) {
      sent_headers_ =
          curl_slist_append(sent_headers_, ("Authorization: Bearer " + request_.token).c_str());
    }
    curl_easy_setopt(handle_, CURLOPT_HTTPHEADER, sent_headers_);
    if (request_.range) {
      curl_easy_setopt(
          handle_, CURLOPT_RANGE,
          fmt::format("{}-{}", request_.range->begin, request_.range->end - 1).c_str());
    }
  }

  void ReadHead() {
    long status = 0;  // NOLINT: libcurl's type
    curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
    response_.status = static_cast<int>(status);
  }

  // What libcurl takes for a failure of ours: a sink that wants no more of a refusal's body.
  bool Ignored(CURLcode code) const {
    return code == CURLE_WRITE_ERROR && !sink_refused_ && !response_.success();
  }

  std::string Fault(CURLcode code) const {
    if (sink_refused_) return std::string(kNotWanted);
    return error_[0] != '\0' ? std::string(error_.data()) : curl_easy_strerror(code);
  }

  bool FollowRedirect() {
    char* location = nullptr;
    curl_easy_getinfo(handle_, CURLINFO_REDIRECT_URL, &location);
    if (location == nullptr) return Stop("it redirects to nowhere");
    if (++redirects_ > kMaxRedirects) {
      return Stop(fmt::format("it redirects more than {} times", kMaxRedirects));
    }
    const std::string next = location;
    const Origin origin = OriginOf(next);
    if (origin.scheme != "http" && origin.scheme != "https") {
      return Stop(fmt::format("it redirects to {}, which is no web address", Quoted(next)));
    }
    if (OriginOf(response_.url).scheme == "https" && origin.scheme != "https") {
      return Stop("it redirects from https to http, which anybody on the way could change");
    }
    response_.redirected = true;
    SetTarget(next);
    return true;
  }
  bool Stop(std::string why) {
    response_.broken = std::move(why);
    return false;
  }

  bool Deliver(std::string_view data) {
    sink_refused_ = !sink_(response_, data);
    return !sink_refused_;
  }

  // A status line begins the headers of a new answer: of an interim one, or of the next hop.
  void TakeHeader(std::string_view line) {
    if (line.starts_with("HTTP/")) {
      std::erase_if(response_.headers,
                    [](const auto& header) { return !StaysAcrossRedirects(header.first); });
      return;
    }
    const size_t colon = line.find(':');
    if (colon == line.npos || line.size() > kMaxHeaderBytes) return;
    if (response_.headers.size() >= kMaxHeaders) return;
    response_.headers.insert_or_assign(Lower(line.substr(0, colon)),
                                       std::string(TrimBlanks(line.substr(colon + 1))));
  }

  size_t TakeData(std::string_view data) {
    ReadHead();
    if (response_.success()) return Deliver(data) ? data.size() : 0;
    const size_t room = kMaxRefusedBodyBytes - response_.refused_body.size();
    response_.refused_body += data.substr(0, room);
    return data.size() <= room ? data.size() : 0;
  }

  static size_t OnHeader(char* data, size_t size, size_t count, void* self) {
    static_cast<Transfer*>(self)->TakeHeader({data, size * count});
    return size * count;
  }
  static size_t OnData(char* data, size_t size, size_t count, void* self) {
    return static_cast<Transfer*>(self)->TakeData({data, size * count});
  }

  Id id_;
  HttpRequest request_;
  Origin origin_;
  Sink sink_;
  CURL* handle_;
  curl_slist* sent_headers_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> error_{};
  HttpResponse response_;
  int redirects_ = 0;
  bool sink_refused_ = false;
};

struct HttpClient::Impl {
  const HubSettings& settings;
  CURLM* multi;
  std::map<Id, std::unique_ptr<Transfer>> transfers;
  Id next_id = 1;

  void Begin(Transfer& transfer) {
    OCELLI_CHECK(curl_multi_add_handle(multi, transfer.handle()) == CURLM_OK, "curl_multi_add");
  }
  void End(Transfer& transfer) { curl_multi_remove_handle(multi, transfer.handle()); }
};

HttpClient::HttpClient(const HubSettings& settings) {
  StartCurlOnce();
  impl_.reset(new Impl{settings, curl_multi_init(), {}, 1});
  OCELLI_CHECK(impl_->multi != nullptr, "curl_multi_init");
}

HttpClient::~HttpClient() {
  for (auto& [id, transfer] : impl_->transfers) impl_->End(*transfer);
  impl_->transfers.clear();
  curl_multi_cleanup(impl_->multi);
}

HttpClient::Id HttpClient::Start(const HttpRequest& request, Sink sink,
                                 std::chrono::milliseconds timeout) {
  const Id id = impl_->next_id++;
  auto transfer =
      std::make_unique<Transfer>(id, request, std::move(sink), impl_->settings, timeout);
  impl_->Begin(*transfer);
  impl_->transfers.emplace(id, std::move(transfer));
  return id;
}

void HttpClient::Stop(Id id) {
  const auto found = impl_->transfers.find(id);
  if (found == impl_->transfers.end()) return;
  impl_->End(*found->second);
  impl_->transfers.erase(found);
}

std::vector<HttpClient::Finished> HttpClient::Wait(std::chrono::milliseconds patience) {
  int running = 0;
  curl_multi_poll(impl_->multi, nullptr, 0, static_cast<int>(patience.count()), nullptr);
  curl_multi_perform(impl_->multi, &running);
  std::vector<Finished> finished;
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(impl_->multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;  // gone once the handle is taken out
    Transfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    impl_->End(*transfer);
    if (transfer->NextHop(code)) {
      impl_->Begin(*transfer);
      continue;
    }
    finished.push_back({transfer->id(), transfer->TakeResponse()});
    impl_->transfers.erase(finished.back().id);
  }
  return finished;
}

}  // namespace ocelli::hub
