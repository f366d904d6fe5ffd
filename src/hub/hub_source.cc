#include "hub/hub_source.h"

#include <fmt/format.h>

#include <charconv>
#include <thread>

#include "base/quoted.h"
#include "hub/retry.h"

namespace ocelli::hub {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr size_t kMaxListingBytes = size_t{32} << 20;
constexpr milliseconds kPatience{100};

Error Cancelled() { return Error{ErrorCode::kCancelled, "the download was cancelled", ""}; }

// Waits for one transfer. **Errors**: kCancelled.
Result<HttpResponse> WaitFor(HttpClient& client, HttpClient::Id id, const CancelCheck& cancelled) {
  while (true) {
    for (HttpClient::Finished& finished : client.Wait(kPatience)) {
      if (finished.id == id) return std::move(finished.response);
    }
    if (cancelled()) {
      client.Stop(id);
      return Cancelled();
    }
  }
}

Status Sleep(milliseconds delay, const CancelCheck& cancelled) {
  const Clock::time_point until = Clock::now() + delay;
  while (Clock::now() < until) {
    if (cancelled()) return Cancelled();
    std::this_thread::sleep_for(std::min<Clock::duration>(until - Clock::now(), kPatience));
  }
  return {};
}

// Fills in what a mirror's list leaves out, from the headers that come with the file itself: the
// hash is X-Linked-Etag for a large file, ETag for a small one.
Status CompleteFile(HttpClient& client, const HubSettings& settings, HttpRequest request,
                    const HttpPurpose& purpose, const CancelCheck& cancelled, RemoteFile& file) {
  request.head = true;
  OCELLI_ASSIGN_OR_RETURN(const WholeAnswer answer,
                          FetchWhole(client, settings, request, purpose, 0, cancelled));
  const auto header = [&](const char* linked, const char* own) {
    std::string_view value = answer.head.Header(linked);
    if (value.empty()) value = answer.head.Header(own);
    if (value.starts_with("W/")) value.remove_prefix(2);
    if (value.starts_with('"')) value.remove_prefix(1);
    if (value.ends_with('"')) value.remove_suffix(1);
    return value;
  };
  file.digest = ParseDigest(header("x-linked-etag", "etag"));
  const std::string_view size = header("x-linked-size", "content-length");
  const auto [end, error] =
      std::from_chars(size.data(), size.data() + size.size(), file.size_bytes);
  if (error == std::errc() && end == size.data() + size.size() && !file.digest.hex.empty()) {
    return {};
  }
  return Error{ErrorCode::kUnsupported,
               fmt::format("{} names no hash and size for {} of {}, so it cannot be verified; use "
                           "another HF_ENDPOINT, or --source modelscope",
                           answer.head.Host(), file.path, purpose.repo.Text()),
               "HF_ENDPOINT"};
}

class HuggingFace : public HubSource {
 public:
  explicit HuggingFace(const HubSettings& settings) : settings_(settings) {}

  std::string_view name() const override { return "huggingface"; }

  Result<Listing> List(HttpClient& client, const RepoId& repo, const std::string& revision,
                       const CancelCheck& cancelled) const override {
    HttpRequest request;
    request.url =
        fmt::format("{}/api/models/{}/revision/{}?blobs=true", settings_.huggingface_endpoint,
                    repo.Text(), PercentEncode(revision, /*keep_slash=*/false));
    request.token = Token();
    OCELLI_ASSIGN_OR_RETURN(const WholeAnswer answer,
                            FetchWhole(client, settings_, request, Purpose(repo, revision, ""),
                                       kMaxListingBytes, cancelled));
    Result<Listing> listing = ParseHuggingFaceListing(answer.body);
    if (!listing.ok()) return listing.error().WithContext(answer.head.Host());
    for (RemoteFile& file : listing->files) {
      if (!file.digest.hex.empty()) continue;
      OCELLI_RETURN_IF_ERROR(CompleteFile(client, settings_,
                                          FileRequest(repo, revision, *listing, file.path),
                                          Purpose(repo, revision, file.path), cancelled, file));
    }
    return listing;
  }

  HttpRequest FileRequest(const RepoId& repo, const std::string&, const Listing& listing,
                          const std::string& path) const override {
    HttpRequest request;
    request.url = fmt::format("{}/{}/resolve/{}/{}", settings_.huggingface_endpoint, repo.Text(),
                              listing.commit, PercentEncode(path, /*keep_slash=*/false));
    request.token = Token();
    return request;
  }

  HttpPurpose Purpose(const RepoId& repo, const std::string& revision,
                      const std::string& path) const override {
    return {repo, revision, path, settings_.huggingface_endpoint, !Token().empty()};
  }

 private:
  // A token in clear text would be everybody's.
  std::string Token() const {
    return IsPrivateChannel(settings_.huggingface_endpoint) ? settings_.token : "";
  }

  const HubSettings& settings_;
};

class ModelScope : public HubSource {
 public:
  explicit ModelScope(const HubSettings& settings) : settings_(settings) {}

  std::string_view name() const override { return "modelscope"; }

  Result<Listing> List(HttpClient& client, const RepoId& repo, const std::string& revision,
                       const CancelCheck& cancelled) const override {
    HttpRequest request;
    request.url = fmt::format("{}/api/v1/models/{}/repo/files?Revision={}&Recursive=true",
                              settings_.modelscope_endpoint, repo.Text(), Branch(revision));
    OCELLI_ASSIGN_OR_RETURN(const WholeAnswer answer,
                            FetchWhole(client, settings_, request, Purpose(repo, revision, ""),
                                       kMaxListingBytes, cancelled));
    Result<Listing> listing = ParseModelScopeListing(answer.body);
    if (!listing.ok()) {
      return listing.error().WithContext(
          fmt::format("{}, asked for {}", answer.head.Host(), repo.Text()));
    }
    for (const RemoteFile& file : listing->files) {
      if (file.digest.hex.empty()) return NoHash(answer.head, repo, file);
    }
    return listing;
  }

  HttpRequest FileRequest(const RepoId& repo, const std::string& revision, const Listing&,
                          const std::string& path) const override {
    HttpRequest request;
    request.url = fmt::format("{}/api/v1/models/{}/repo?Revision={}&FilePath={}",
                              settings_.modelscope_endpoint, repo.Text(), Branch(revision),
                              PercentEncode(path, /*keep_slash=*/false));
    return request;
  }

  HttpPurpose Purpose(const RepoId& repo, const std::string& revision,
                      const std::string& path) const override {
    return {repo, revision, path, settings_.modelscope_endpoint + "/models", false};
  }

 private:
  static std::string Branch(const std::string& revision) {
    return revision == "main" ? "master" : PercentEncode(revision, /*keep_slash=*/false);
  }
  static Error NoHash(const HttpResponse& head, const RepoId& repo, const RemoteFile& file) {
    return Error{
        ErrorCode::kUnsupported,
        fmt::format("{} names no hash for {} of {}, so it cannot be verified; use --source "
                    "huggingface",
                    head.Host(), file.path, repo.Text()),
        "source"};
  }

  const HubSettings& settings_;
};

}  // namespace

Result<SourceChoice> ParseSourceChoice(std::string_view text) {
  if (text == "auto") return SourceChoice::kAuto;
  if (text == "huggingface") return SourceChoice::kHuggingFace;
  if (text == "modelscope") return SourceChoice::kModelScope;
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("{} is no source; there are auto, huggingface and modelscope", Quoted(text)),
      "source"};
}

std::unique_ptr<HubSource> MakeHuggingFace(const HubSettings& settings) {
  return std::make_unique<HuggingFace>(settings);
}
std::unique_ptr<HubSource> MakeModelScope(const HubSettings& settings) {
  return std::make_unique<ModelScope>(settings);
}

Result<WholeAnswer> FetchWhole(HttpClient& client, const HubSettings& settings,
                               const HttpRequest& request, const HttpPurpose& purpose,
                               size_t limit_bytes, const CancelCheck& cancelled) {
  Backoff backoff(settings);
  while (true) {
    std::string body;
    bool too_large = false;
    const auto sink = [&](const HttpResponse&, std::string_view data) {
      too_large = data.size() > limit_bytes - body.size();
      if (!too_large) body += data;
      return !too_large;
    };
    OCELLI_ASSIGN_OR_RETURN(
        HttpResponse response,
        WaitFor(client, client.Start(request, sink, settings.answer_timeout), cancelled));
    if (too_large) {
      return Error{ErrorCode::kTooLarge,
                   fmt::format("{} sends more than {} bytes where a short answer belongs",
                               response.Host(), limit_bytes),
                   "network"};
    }
    if (response.success() && response.broken.empty()) {
      return WholeAnswer{std::move(response), std::move(body)};
    }
    if (!WorthRetrying(response)) return HttpFault(response, purpose);
    const auto delay = backoff.NextDelay(response);
    if (!delay) return HttpFault(response, purpose);
    OCELLI_RETURN_IF_ERROR(Sleep(*delay, cancelled));
  }
}

}  // namespace ocelli::hub
