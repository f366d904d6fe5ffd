#include "hub/pull.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/byte_size.h"
#include "base/disk.h"
#include "base/file.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/model_config.h"
#include "checkpoint/weight_files.h"
#include "hub/blob_download.h"
#include "hub/model_cache.h"
#include "hub/progress_meter.h"

namespace ocelli::hub {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::string_view kConfig = "config.json";
constexpr std::string_view kTokenizer = "tokenizer.json";
constexpr std::string_view kIndex = "model.safetensors.index.json";
constexpr std::string_view kSingleWeights = "model.safetensors";
constexpr size_t kMaxJsonBytes = size_t{16} << 20;
constexpr milliseconds kReportEvery{100};
// What is spent on a hub that may not be reachable when there is another one to ask.
constexpr int kProbeFailures = 2;
constexpr milliseconds kProbeConnect{10'000};

Error Cancelled() { return Error{ErrorCode::kCancelled, "the download was cancelled", ""}; }

// Turns what single files report into what the whole pull has to tell.
class Reporter {
 public:
  explicit Reporter(const PullCallback& callback) : callback_(callback) {}

  void SetSource(std::string_view source) { progress_.source = source; }
  void SetTotal(uint64_t bytes) { progress_.total_bytes = bytes; }
  void BeginFile(const std::string& name) {
    progress_.file = name;
    last_ = {};
  }
  void EndFile(uint64_t size_bytes) {
    finished_bytes_ += size_bytes;
    received_bytes_ += file_received_bytes_;
    file_received_bytes_ = 0;
  }
  uint64_t received_bytes() const { return received_bytes_; }

  // Returns true when the caller wants no more.
  bool Report(PullStage stage, uint64_t file_done_bytes, uint64_t file_received_bytes) {
    const Clock::time_point now = Clock::now();
    file_received_bytes_ = file_received_bytes;
    meter_.Note(received_bytes_ + file_received_bytes, now);
    if (stage == progress_.stage && now - last_ < kReportEvery) return cancelled_;
    last_ = now;
    progress_.stage = stage;
    progress_.done_bytes = finished_bytes_ + file_done_bytes;
    progress_.bytes_per_second = meter_.BytesPerSecond();
    progress_.seconds_left = meter_.SecondsFor(
        progress_.total_bytes - std::min(progress_.total_bytes, progress_.done_bytes));
    cancelled_ = cancelled_ || (callback_ && !callback_(progress_));
    return cancelled_;
  }

 private:
  const PullCallback& callback_;
  PullProgress progress_;
  ProgressMeter meter_;
  Clock::time_point last_{};
  uint64_t finished_bytes_ = 0;
  uint64_t received_bytes_ = 0;
  uint64_t file_received_bytes_ = 0;
  bool cancelled_ = false;
};

class Puller {
 public:
  Puller(const HubSettings& settings, const PullRequest& request, const PullCallback& callback)
      : settings_(settings),
        probe_settings_(settings),
        request_(request),
        cache_(settings.cache_directory),
        client_(settings_),
        reporter_(callback) {
    probe_settings_.max_failures = std::min(settings.max_failures, kProbeFailures);
    probe_settings_.connect_timeout = std::min(settings.connect_timeout, kProbeConnect);
  }

  Result<PullResult> Run() {
    OCELLI_RETURN_IF_ERROR(List());
    OCELLI_RETURN_IF_ERROR(PullSmallFiles());
    OCELLI_ASSIGN_OR_RETURN(const std::vector<const RemoteFile*> weights, WeightFiles());
    OCELLI_RETURN_IF_ERROR(CheckDisk(weights));
    OCELLI_RETURN_IF_ERROR(PullFiles(weights));
    OCELLI_RETURN_IF_ERROR(cache_.SetRevision(request_.repo, request_.revision, listing_.commit));
    PullResult result;
    result.snapshot = cache_.Snapshot(request_.repo, listing_.commit);
    result.commit = listing_.commit;
    result.source = source_->name();
    result.total_bytes = total_bytes_;
    result.received_bytes = reporter_.received_bytes();
    OCELLI_RETURN_IF_ERROR(CheckRuns(result.snapshot));
    return result;
  }

 private:
  Status List() {
    if (request_.source != SourceChoice::kAuto) {
      return ListFrom(request_.source == SourceChoice::kModelScope ? MakeModelScope(settings_)
                                                                   : MakeHuggingFace(settings_));
    }
    const Status first = ListFrom(MakeHuggingFace(probe_settings_));
    if (first.ok() || first.error().code != ErrorCode::kUnavailable) return first;
    const Status second = ListFrom(MakeModelScope(probe_settings_));
    if (second.ok() || second.error().code == ErrorCode::kCancelled) return second;
    return Error{first.error().code,
                 fmt::format("{} ({} did not help either)", first.error().message,
                             HostOf(settings_.modelscope_endpoint)),
                 first.error().param};
  }

  Status ListFrom(std::unique_ptr<HubSource> source) {
    source_ = std::move(source);
    reporter_.SetSource(source_->name());
    const auto cancelled = [this] { return reporter_.Report(PullStage::kListing, 0, 0); };
    if (cancelled()) return Cancelled();
    OCELLI_ASSIGN_OR_RETURN(listing_,
                            source_->List(client_, request_.repo, request_.revision, cancelled));
    for (const std::string_view needed : {kConfig, kTokenizer}) {
      if (listing_.Find(needed) == nullptr) return Lacks(needed);
    }
    return {};
  }

  Status Lacks(std::string_view file) const {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("{} has no {}, so it is no model that Ocelli runs; Qwen/"
                             "Qwen3-VL-2B-Instruct is one",
                             request_.repo.Text(), file),
                 "model"};
  }

  // config.json comes first: it says whether the rest is worth fetching.
  Status PullSmallFiles() {
    std::vector<const RemoteFile*> files;
    for (const RemoteFile& file : listing_.files) {
      if (!file.path.ends_with(".safetensors")) files.push_back(&file);
    }
    std::sort(files.begin(), files.end(), [](const RemoteFile* a, const RemoteFile* b) {
      return std::pair(a->path != kConfig, a->size_bytes) <
             std::pair(b->path != kConfig, b->size_bytes);
    });
    AddToTotal(files);
    OCELLI_RETURN_IF_ERROR(PullFiles({files.front()}));
    OCELLI_ASSIGN_OR_RETURN(const std::string json, ReadPulled(*files.front()));
    OCELLI_RETURN_IF_ERROR(
        ParseModelConfig(json, fmt::format("{} of {}", kConfig, request_.repo.Text())));
    files.erase(files.begin());
    return PullFiles(files);
  }

  Result<std::string> ReadPulled(const RemoteFile& file) const {
    return ReadFile(cache_.Blob(request_.repo, file.digest.hex), kMaxJsonBytes);
  }

  // Returns the shards that the index names, or the only file of weights.
  Result<std::vector<const RemoteFile*>> WeightFiles() {
    std::set<std::string> names;
    if (const RemoteFile* index = listing_.Find(kIndex)) {
      OCELLI_ASSIGN_OR_RETURN(const std::string json, ReadPulled(*index));
      OCELLI_ASSIGN_OR_RETURN(
          const WeightMap map,
          ParseWeightIndex(json, fmt::format("{} of {}", kIndex, request_.repo.Text())));
      for (const auto& [tensor, shard] : map) names.insert(shard);
    } else {
      names.emplace(kSingleWeights);
    }
    std::vector<const RemoteFile*> files;
    for (const std::string& name : names) {
      const RemoteFile* file = listing_.Find(name);
      if (file == nullptr) return NoWeights(name);
      files.push_back(file);
    }
    AddToTotal(files);
    return files;
  }

  Error NoWeights(const std::string& name) const {
    return Error{
        ErrorCode::kUnsupported,
        fmt::format("{} has no {}{}; Ocelli reads safetensors weights: choose a repository "
                    "that has them",
                    request_.repo.Text(), name,
                    listing_.other_weights ? ", only weights in other formats" : ""),
        "model"};
  }

  void AddToTotal(const std::vector<const RemoteFile*>& files) {
    for (const RemoteFile* file : files) total_bytes_ += file->size_bytes;
    reporter_.SetTotal(total_bytes_);
  }

  Status CheckDisk(const std::vector<const RemoteFile*>& files) const {
    uint64_t needed = settings_.spare_disk_bytes;
    for (const RemoteFile* file : files) {
      const std::string& hash = file->digest.hex;
      const uint64_t there = std::max(DiskBytesOf(cache_.Blob(request_.repo, hash)),
                                      DiskBytesOf(cache_.UnfinishedBlob(request_.repo, hash)));
      needed += file->size_bytes - std::min(file->size_bytes, there);
    }
    OCELLI_ASSIGN_OR_RETURN(const uint64_t free, FreeDiskBytes(cache_.directory()));
    if (needed <= free) return {};
    return Error{ErrorCode::kResourceExhausted,
                 fmt::format("{} needs {} more on the disk of {}, which has {} free; free some "
                             "space, or set HF_HOME to a folder on another disk",
                             request_.repo.Text(), DescribeBytes(needed),
                             cache_.directory().string(), DescribeBytes(free)),
                 "disk"};
  }

  Status PullFiles(const std::vector<const RemoteFile*>& files) {
    for (const RemoteFile* file : files) {
      reporter_.BeginFile(file->path);
      const auto progress = [this](BlobStage stage, uint64_t done, uint64_t received) {
        return reporter_.Report(StageOf(stage), done, received);
      };
      OCELLI_RETURN_IF_ERROR(DownloadBlob(
          client_, settings_, cache_,
          source_->FileRequest(request_.repo, request_.revision, listing_, file->path),
          source_->Purpose(request_.repo, request_.revision, file->path), *file, progress));
      OCELLI_RETURN_IF_ERROR(
          cache_.Link(request_.repo, listing_.commit, file->path, file->digest.hex));
      reporter_.EndFile(file->size_bytes);
    }
    return {};
  }

  static PullStage StageOf(BlobStage stage) {
    switch (stage) {
      case BlobStage::kWaiting:
        return PullStage::kWaiting;
      case BlobStage::kVerifying:
        return PullStage::kVerifying;
      case BlobStage::kDownloading:
        break;
    }
    return PullStage::kDownloading;
  }

  Status CheckRuns(const fs::path& snapshot) const {
    const Result<Checkpoint> checkpoint = Checkpoint::Open(snapshot);
    const Status usable =
        checkpoint.ok() ? checkpoint->CheckComplete() : Status(checkpoint.error());
    if (usable.ok()) return {};
    return usable.error().WithContext(
        fmt::format("{} is all there, but cannot be run", request_.repo.Text()));
  }

  const HubSettings& settings_;
  HubSettings probe_settings_;
  const PullRequest& request_;
  ModelCache cache_;
  HttpClient client_;
  Reporter reporter_;
  std::unique_ptr<HubSource> source_;
  Listing listing_;
  uint64_t total_bytes_ = 0;
};

// Returns what is there, if it is whole.
Result<PullResult> PullOffline(const HubSettings& settings, const PullRequest& request) {
  const Result<fs::path> snapshot =
      ModelCache(settings.cache_directory).Find(request.repo, request.revision);
  Status usable = snapshot.ok() ? Status() : Status(snapshot.error());
  if (snapshot.ok()) {
    const Result<Checkpoint> checkpoint = Checkpoint::Open(*snapshot);
    usable = checkpoint.ok() ? checkpoint->CheckComplete() : Status(checkpoint.error());
  }
  if (!usable.ok()) {
    return Error{ErrorCode::kUnavailable,
                 fmt::format("{} at {} cannot be had offline: {}; pull it once without --offline "
                             "and HF_HUB_OFFLINE",
                             request.repo.Text(), request.revision, usable.error().message),
                 "model"};
  }
  PullResult result;
  result.snapshot = *snapshot;
  result.commit = snapshot->filename().string();
  result.source = "cache";
  return result;
}

}  // namespace

Result<PullResult> Pull(const HubSettings& settings, const PullRequest& request,
                        const PullCallback& callback) {
  OCELLI_RETURN_IF_ERROR(CheckRevision(request.revision));
  if (settings.offline) return PullOffline(settings, request);
  return Puller(settings, request, callback).Run();
}

}  // namespace ocelli::hub
