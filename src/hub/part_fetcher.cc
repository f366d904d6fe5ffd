#include "hub/part_fetcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

namespace ocelli::hub {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{100};
constexpr uint64_t kProgressBytes = 64 << 10;  // less than this between two failures is none

// The numbers of "Content-Range: bytes BEGIN-LAST/SIZE".
struct ContentRange {
  uint64_t begin = 0;
  uint64_t last = 0;
  uint64_t size = 0;
};

bool ReadNumber(std::string_view& text, uint64_t& number, std::string_view after) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (!text.starts_with(after)) return false;
  text.remove_prefix(after.size());
  return true;
}

// Returns what kept an answer that began well from being what was asked for.
std::string LastFault(const HttpResponse& response) {
  const bool ours = response.broken.empty() || response.broken == kNotWanted;
  return ours ? "it sends other bytes than it was asked for" : response.broken;
}

std::optional<ContentRange> ParseContentRange(std::string_view text) {
  if (!text.starts_with("bytes ")) return std::nullopt;
  text.remove_prefix(6);
  ContentRange range;
  if (!ReadNumber(text, range.begin, "-") || !ReadNumber(text, range.last, "/")) {
    return std::nullopt;
  }
  if (!ReadNumber(text, range.size, "") || !text.empty()) return std::nullopt;
  return range;
}

}  // namespace

PartFetcher::PartFetcher(HttpClient& client, const HubSettings& settings, const PartLedger& ledger,
                         HttpRequest request, HttpPurpose purpose)
    : client_(client),
      settings_(settings),
      ledger_(ledger),
      request_(std::move(request)),
      purpose_(std::move(purpose)),
      backoff_(settings),
      connections_(settings.connections) {}

Status PartFetcher::Fetch(std::vector<bool> needed, const OnPart& on_part, const OnTick& on_tick) {
  needed_ = std::move(needed);
  num_needed_ = static_cast<size_t>(std::count(needed_.begin(), needed_.end(), true));
  owner_.assign(needed_.size(), 0);
  on_part_ = &on_part;
  stopped_ = false;
  failed_ = {};
  while (!Done() && !stopped_ && failed_.ok()) {
    StartRuns();
    for (const HttpClient::Finished& finished : client_.Wait(kPatience)) {
      const Status ended = End(finished.id, finished.response);
      if (failed_.ok()) failed_ = ended;
    }
    if (on_tick(received_bytes_) && failed_.ok()) {
      failed_ = Error{ErrorCode::kCancelled, "the download was cancelled", ""};
    }
  }
  StopAll();
  return failed_;
}

void PartFetcher::StartRuns() {
  if (Clock::now() < not_before_) return;
  const size_t most = ranges_ ? static_cast<size_t>(connections_) : 1;
  while (runs_.size() < most && StartRun()) {
  }
}

// Begins at the first part that nobody fetches and goes on to the next that somebody does.
bool PartFetcher::StartRun() {
  size_t first = 0;
  const auto free = [&](size_t part) { return needed_[part] && owner_[part] == 0; };
  while (first < needed_.size() && !free(first)) ++first;
  if (first == needed_.size()) return false;
  const size_t most =
      std::max<size_t>(1, std::min(settings_.request_bytes / ledger_.part_bytes(),
                                   num_needed_ / static_cast<size_t>(connections_)));
  size_t last = first;
  while (last + 1 < needed_.size() && free(last + 1) && last + 1 - first < most) ++last;

  Run run;
  if (const auto begun = started_.find(first); ranges_ && begun != started_.end()) {
    run.buffer = std::move(begun->second);
    started_.erase(begun);
  }
  run.position = ledger_.Part(first).begin + run.buffer.size();
  run.end = ledger_.Part(last).end;
  HttpRequest request = request_;
  if (ranges_) request.range = ByteRange{run.position, run.end};
  auto id = std::make_shared<HttpClient::Id>(0);
  *id = client_.Start(request, [this, id](const HttpResponse& head, std::string_view data) {
    return Take(*id, head, data);
  });
  Claim(*id, run.position, run.end);
  runs_.emplace(*id, std::move(run));
  return true;
}

void PartFetcher::Claim(HttpClient::Id id, uint64_t begin, uint64_t end) {
  for (size_t part = begin / ledger_.part_bytes(); part < owner_.size(); ++part) {
    if (ledger_.Part(part).begin >= end) return;
    if (needed_[part] && owner_[part] == 0) owner_[part] = id;
  }
}

bool PartFetcher::Take(HttpClient::Id id, const HttpResponse& head, std::string_view data) {
  Run& run = runs_.at(id);
  if (!run.head_seen && !CheckHead(id, run, head)) return false;
  if (data.size() > run.end - run.position) {
    if (run.end == ledger_.size_bytes()) failed_ = WrongSize(head, run.position + data.size());
    return false;
  }
  while (!data.empty() && !stopped_ && failed_.ok()) {
    const uint64_t end = ledger_.Part(run.position / ledger_.part_bytes()).end;
    const std::string_view piece = data.substr(0, std::min(data.size(), end - run.position));
    if (!TakePiece(id, run, piece)) return false;
    data.remove_prefix(piece.size());
  }
  return !stopped_ && failed_.ok();
}

// Refuses an answer about other bytes than those that were asked for.
bool PartFetcher::CheckHead(HttpClient::Id id, Run& run, const HttpResponse& head) {
  run.head_seen = true;
  const std::string_view length = head.Header("content-length");
  if (head.status == 200) {
    uint64_t size = ledger_.size_bytes();
    std::from_chars(length.data(), length.data() + length.size(), size);
    if (size != ledger_.size_bytes()) {
      failed_ = WrongSize(head, size);
      return false;
    }
    return BeginWhole(id, run);
  }
  const auto range = ParseContentRange(head.Header("content-range"));
  if (range && range->size != ledger_.size_bytes()) {
    failed_ = WrongSize(head, range->size);
    return false;
  }
  return range && range->begin == run.position && range->last < run.end;
}

// The server sends everything from the first byte, whatever was asked for.
bool PartFetcher::BeginWhole(HttpClient::Id id, Run& run) {
  const bool alone = std::all_of(runs_.begin(), runs_.end(), [&](const auto& other) {
    return other.first == id || !other.second.head_seen;
  });
  ranges_ = ranges_ && run.position == 0 && run.end == ledger_.size_bytes();
  if (!alone) return false;
  for (HttpClient::Id& owner : owner_) owner = 0;  // the others will hear the same and end
  run.position = 0;
  run.end = ledger_.size_bytes();
  run.buffer.clear();
  started_.clear();
  Claim(id, 0, run.end);
  return true;
}

// Takes bytes of one part.
bool PartFetcher::TakePiece(HttpClient::Id id, Run& run, std::string_view piece) {
  const size_t part = run.position / ledger_.part_bytes();
  run.position += piece.size();
  received_bytes_ += piece.size();
  if (owner_[part] != id) return true;
  run.buffer += piece;
  return run.position < ledger_.Part(part).end || Complete(part, run);
}

bool PartFetcher::Complete(size_t part, Run& run) {
  owner_[part] = 0;
  needed_[part] = false;
  --num_needed_;
  const Result<Next> next = (*on_part_)(part, run.buffer);
  run.buffer.clear();
  if (!next.ok()) {
    failed_ = next.error();
  } else if (*next == Next::kStop) {
    stopped_ = true;
  }
  return next.ok() && !stopped_;
}

Status PartFetcher::End(HttpClient::Id id, const HttpResponse& response) {
  const auto found = runs_.find(id);
  if (found == runs_.end()) return {};
  const bool whole = response.success() && found->second.position == found->second.end;
  GiveBack(id);
  if (whole || stopped_ || !failed_.ok() || Done()) return failed_;
  // One of several that were told that there are no ranges.
  if (!ranges_ && response.success() && !runs_.empty()) return {};
  if (response.status == 416) return WrongSize(response, 0);
  if (!response.success() && !WorthRetrying(response)) return HttpFault(response, purpose_);
  return WaitBeforeNext(response);
}

Status PartFetcher::WaitBeforeNext(const HttpResponse& response) {
  if (Clock::now() < not_before_) return {};  // connections that fail together failed once
  if (received_bytes_ - received_at_failure_ >= kProgressBytes) backoff_.Reset();
  received_at_failure_ = received_bytes_;
  if (response.status == 429 || response.status == 503) connections_ = 1;
  const auto delay = backoff_.NextDelay(response);
  if (delay) {
    not_before_ = Clock::now() + *delay;
    return {};
  }
  HttpResponse last = response;
  if (last.success()) last.broken = LastFault(last);
  return HttpFault(last, purpose_);
}

// Keeps what has come of a part, and lets others have the run's parts.
void PartFetcher::GiveBack(HttpClient::Id id) {
  const auto found = runs_.find(id);
  Run& run = found->second;
  if (ranges_ && !run.buffer.empty()) {
    started_[run.position / ledger_.part_bytes()] = std::move(run.buffer);
  }
  std::replace(owner_.begin(), owner_.end(), id, HttpClient::Id{0});
  runs_.erase(found);
}

void PartFetcher::StopAll() {
  while (!runs_.empty()) {
    const HttpClient::Id id = runs_.begin()->first;
    client_.Stop(id);
    GiveBack(id);
  }
}

Error PartFetcher::WrongSize(const HttpResponse& head, uint64_t size_bytes) const {
  const std::string sent = size_bytes == 0 ? "fewer" : fmt::format("at least {}", size_bytes);
  return Error{
      ErrorCode::kCorruptData,
      fmt::format("{} has {} bytes for {} of {}, but the hub says {}; it is not used: try "
                  "again later, another HF_ENDPOINT, or --source modelscope",
                  head.Host(), sent, purpose_.file, purpose_.repo.Text(), ledger_.size_bytes()),
      "network"};
}

}  // namespace ocelli::hub
