#ifndef OCELLI_HUB_BLOB_DOWNLOAD_H_
#define OCELLI_HUB_BLOB_DOWNLOAD_H_

#include <cstdint>
#include <functional>

#include "base/error.h"
#include "hub/http_client.h"
#include "hub/http_fault.h"
#include "hub/hub_settings.h"
#include "hub/listing.h"
#include "hub/model_cache.h"

namespace ocelli::hub {

// What a download of one file is doing.
enum class BlobStage { kWaiting, kDownloading, kVerifying };

// Hears now and then what a download of one file is doing: how many of its bytes are there (or
// verified), and how many of them came over the network. Returns true to cancel it.
using BlobProgress =
    std::function<bool(BlobStage stage, uint64_t done_bytes, uint64_t received_bytes)>;

// Brings the content of `file` into the cache under its hash, or finds it there; in either case the
// whole of it has been read back and has the size and the hash of the hub's list. One process at a
// time works on a file; another waits. When the hash is wrong, parts whose bytes changed on the
// disk are fetched again; if none did, all are fetched again, compared, and the bad ones replaced.
// `request` asks for the file.
// **Errors**: as PartFetcher::Fetch; kCorruptData when the server's bytes do not have the hash;
// kResourceExhausted when the disk is full; kIo; kCancelled. What was fetched stays for next time,
// but not bytes that were found to be wrong.
Status DownloadBlob(HttpClient& client, const HubSettings& settings, const ModelCache& cache,
                    const HttpRequest& request, const HttpPurpose& purpose, const RemoteFile& file,
                    const BlobProgress& progress);

// Compares a file with what it must be, reading all of it. `on_bytes` hears how far it is; true
// cancels. **Errors**: kNotFound; kCorruptData, naming the file; kIo; kCancelled.
Status VerifyFile(const std::filesystem::path& path, uint64_t size_bytes, const FileDigest& digest,
                  const std::function<bool(uint64_t done_bytes)>& on_bytes);

}  // namespace ocelli::hub

#endif  // OCELLI_HUB_BLOB_DOWNLOAD_H_
