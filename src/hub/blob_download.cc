#include "hub/blob_download.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/disk.h"
#include "hub/file_lock.h"
#include "hub/part_fetcher.h"
#include "hub/part_ledger.h"

namespace ocelli::hub {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr size_t kReadBytes = size_t{1} << 20;
constexpr int kMaxRepairs = 8;
constexpr milliseconds kLockPatience{100};

Error Cancelled() { return Error{ErrorCode::kCancelled, "the download was cancelled", ""}; }

Error ReadError(const fs::path& path) {
  return Error{ErrorCode::kIo,
               fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)),
               path.string()};
}

// Waits until no other process works on the same content. **Errors**: kCancelled, kIo.
Result<FileLock> WaitForLock(const fs::path& path, const BlobProgress& progress) {
  while (true) {
    OCELLI_ASSIGN_OR_RETURN(std::optional<FileLock> lock, FileLock::Try(path));
    if (lock) return *std::move(lock);
    if (progress(BlobStage::kWaiting, 0, 0)) return Cancelled();
    std::this_thread::sleep_for(kLockPatience);
  }
}

// Fills `buffer` from `offset` on; shorter only at the file's end.
Status ReadAt(int fd, uint64_t offset, std::string& buffer, const fs::path& path) {
  size_t done = 0;
  while (done < buffer.size()) {
    const ssize_t got =
        pread(fd, buffer.data() + done, buffer.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ReadError(path);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  buffer.resize(done);
  return {};
}

// A file that is being brought into the cache.
class BlobDownload {
 public:
  BlobDownload(HttpClient& client, const HubSettings& settings, const HttpRequest& request,
               const HttpPurpose& purpose, const RemoteFile& file, fs::path path, PartLedger ledger,
               Descriptor fd, const BlobProgress& progress)
      : file_(file),
        purpose_(purpose),
        path_(std::move(path)),
        ledger_(std::move(ledger)),
        fd_(std::move(fd)),
        progress_(progress),
        fetcher_(client, settings, ledger_, request, purpose) {}

  // Fetches what is missing and goes on until the content is right.
  Status Run() {
    std::vector<bool> suspect(ledger_.num_parts(), true);  // not yet compared with a second copy
    for (int repair = 0; repair <= kMaxRepairs; ++repair) {
      OCELLI_RETURN_IF_ERROR(FetchMissing());
      OCELLI_ASSIGN_OR_RETURN(const bool right, Verify());
      if (right) return fsync(fd_.get()) == 0 ? Status() : WriteError(path_, "write");
      if (ledger_.MissingBytes() > 0) continue;  // the disk had changed them
      OCELLI_ASSIGN_OR_RETURN(const bool changed, FetchAgain(suspect));
      if (!changed) break;
    }
    return WrongContent();
  }

  // Whether what was fetched is worthless.
  bool wrong() const { return wrong_; }

 private:
  Status FetchMissing() {
    std::vector<bool> needed(ledger_.num_parts());
    for (size_t i = 0; i < needed.size(); ++i) needed[i] = ledger_.hash(i).empty();
    const auto keep = [this](size_t part, const std::string& bytes) -> Result<PartFetcher::Next> {
      OCELLI_RETURN_IF_ERROR(Keep(part, bytes, Sha256Hex(bytes)));
      return PartFetcher::Next::kGoOn;
    };
    return Fetch(std::move(needed), keep);
  }

  // Fetches parts a second time, until one differs and is replaced. Returns whether one did.
  Result<bool> FetchAgain(std::vector<bool>& suspect) {
    bool changed = false;
    const auto compare = [&](size_t part, const std::string& bytes) -> Result<PartFetcher::Next> {
      suspect[part] = false;
      const std::string hash = Sha256Hex(bytes);
      if (hash == ledger_.hash(part)) return PartFetcher::Next::kGoOn;
      OCELLI_RETURN_IF_ERROR(Keep(part, bytes, hash));
      changed = true;
      return PartFetcher::Next::kStop;
    };
    OCELLI_RETURN_IF_ERROR(Fetch(suspect, compare));
    return changed;
  }

  Status Fetch(std::vector<bool> needed, const PartFetcher::OnPart& on_part) {
    const auto tick = [this](uint64_t received) {
      received_ = received;
      const uint64_t there = ledger_.size_bytes() - ledger_.MissingBytes();
      return progress_(BlobStage::kDownloading, there, received);
    };
    return fetcher_.Fetch(std::move(needed), on_part, tick);
  }

  // In this order: a ledger never names a part that was not written.
  Status Keep(size_t part, const std::string& bytes, const std::string& hash) {
    OCELLI_RETURN_IF_ERROR(WriteAllAt(fd_.get(), bytes, ledger_.Part(part).begin, path_));
    return ledger_.Record(part, hash);
  }

  // Reads the file back. Parts that are not what arrived become missing. Returns whether the whole
  // is what the hub says.
  Result<bool> Verify() {
    if (ftruncate(fd_.get(), static_cast<off_t>(ledger_.size_bytes())) != 0) {
      return WriteError(path_, "cut");
    }
    Hasher hasher(file_.digest.kind, ledger_.size_bytes());
    std::string bytes;
    for (size_t i = 0; i < ledger_.num_parts(); ++i) {
      const ByteRange part = ledger_.Part(i);
      bytes.resize(part.size());
      OCELLI_RETURN_IF_ERROR(ReadAt(fd_.get(), part.begin, bytes, path_));
      if (Sha256Hex(bytes) != ledger_.hash(i)) ledger_.Forget(i);
      hasher.Update(bytes);
      if (progress_(BlobStage::kVerifying, part.end, received_)) return Cancelled();
    }
    hash_ = hasher.Finish();
    return hash_ == file_.digest.hex;
  }

  Status WrongContent() {
    wrong_ = true;
    return Error{ErrorCode::kCorruptData,
                 fmt::format("{} of {} arrives with another {} ({}) than the hub says ({}), also "
                             "when it is fetched again, so it is not used; try later, another "
                             "HF_ENDPOINT, or --source modelscope",
                             file_.path, purpose_.repo.Text(), file_.digest.KindName(), hash_,
                             file_.digest.hex),
                 "network"};
  }

  const RemoteFile& file_;
  const HttpPurpose& purpose_;
  fs::path path_;
  PartLedger ledger_;
  Descriptor fd_;
  const BlobProgress& progress_;
  PartFetcher fetcher_;
  uint64_t received_ = 0;
  std::string hash_;
  bool wrong_ = false;
};

Status Publish(const fs::path& unfinished, const fs::path& blob, const fs::path& ledger) {
  if (rename(unfinished.c_str(), blob.c_str()) != 0) return WriteError(blob, "rename to");
  SyncDirectory(blob.parent_path());
  unlink(ledger.c_str());
  return {};
}

}  // namespace

Status VerifyFile(const fs::path& path, uint64_t size_bytes, const FileDigest& digest,
                  const std::function<bool(uint64_t)>& on_bytes) {
  const Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!fd.open() || fstat(fd.get(), &info) != 0) {
    Error error = ReadError(path);
    if (errno == ENOENT) error.code = ErrorCode::kNotFound;
    return error;
  }
  const auto wrong = [&](const std::string& how) {
    return Error{ErrorCode::kCorruptData,
                 fmt::format("{} {}; `ocelli pull` fetches it again", path.string(), how),
                 path.string()};
  };
  if (static_cast<uint64_t>(info.st_size) != size_bytes) {
    return wrong(fmt::format("has {} bytes in place of {}", info.st_size, size_bytes));
  }
  Hasher hasher(digest.kind, size_bytes);
  std::string bytes;
  for (uint64_t done = 0; done < size_bytes; done += bytes.size()) {
    bytes.resize(kReadBytes);
    OCELLI_RETURN_IF_ERROR(ReadAt(fd.get(), done, bytes, path));
    if (bytes.empty()) return wrong("became shorter while it was read");
    hasher.Update(bytes);
    if (on_bytes(done + bytes.size())) return Cancelled();
  }
  return hasher.Finish() == digest.hex ? Status()
                                       : wrong(fmt::format("has another {}", digest.KindName()));
}

Status DownloadBlob(HttpClient& client, const HubSettings& settings, const ModelCache& cache,
                    const HttpRequest& request, const HttpPurpose& purpose, const RemoteFile& file,
                    const BlobProgress& progress) {
  const std::string& hash = file.digest.hex;
  const fs::path blob = cache.Blob(purpose.repo, hash);
  OCELLI_RETURN_IF_ERROR(MakeDirectories(blob.parent_path()));
  OCELLI_ASSIGN_OR_RETURN(const FileLock lock,
                          WaitForLock(cache.Lock(purpose.repo, hash), progress));
  const Status there = VerifyFile(blob, file.size_bytes, file.digest, [&](uint64_t done) {
    return progress(BlobStage::kVerifying, done, 0);
  });
  if (there.ok() || there.error().code == ErrorCode::kCancelled) return there;
  if (there.error().code == ErrorCode::kCorruptData) unlink(blob.c_str());

  const fs::path unfinished = cache.UnfinishedBlob(purpose.repo, hash);
  const fs::path ledger_path = cache.Ledger(purpose.repo, hash);
  std::error_code ignored;
  if (!fs::exists(unfinished, ignored)) unlink(ledger_path.c_str());
  OCELLI_ASSIGN_OR_RETURN(
      PartLedger ledger, PartLedger::Open(ledger_path, file.size_bytes, settings.part_bytes, hash));
  Descriptor fd(open(unfinished.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd.open()) return WriteError(unfinished, "open");
  BlobDownload download(client, settings, request, purpose, file, unfinished, std::move(ledger),
                        std::move(fd), progress);
  const Status done = download.Run();
  if (done.ok()) return Publish(unfinished, blob, ledger_path);
  if (download.wrong()) {
    unlink(unfinished.c_str());
    unlink(ledger_path.c_str());
  }
  return done;
}

}  // namespace ocelli::hub
