#ifndef OCELLI_SERVER_PICTURE_LOADER_H_
#define OCELLI_SERVER_PICTURE_LOADER_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/chat_messages.h"
#include "base/error.h"
#include "parallel/thread_pool.h"
#include "picture/patches.h"
#include "server/decode_gate.h"
#include "server/metrics.h"
#include "server/picture_fetcher.h"
#include "server/picture_file.h"
#include "server/picture_store.h"
#include "server/server_options.h"
#include "server/service.h"

namespace ocelli::server {

// Turns what a message says about a picture into patches. **Threads**: any number at once.
class PictureLoader {
 public:
  using Bytes = PictureStore::Bytes;

  // **Errors**: those of PictureFolder::Open. `metrics` outlives the loader.
  static Result<std::unique_ptr<PictureLoader>> Create(const ServerOptions& options,
                                                       Metrics& metrics);

  // Whether ReadBytes will wait for the network, which may take long.
  bool IsFetched(const api::PictureReference& picture) const;

  // Returns the encoded picture, from wherever it is. URL and bytes are taken out of `picture` and
  // freed as soon as they are read. **Errors**: param names its place.
  Result<Bytes> ReadBytes(api::PictureReference& picture, const std::string& scope,
                          const std::atomic<bool>& cancelled);

  // Decodes and prepares a picture, and keeps it where it has a uuid. `admit` is asked before
  // anything is decoded, with the number of image tokens; its error ends the call.
  // **Errors**: param names the picture's place. **Threads**: uses `pool`.
  using Admit = std::function<Status(size_t image_tokens)>;
  Result<std::shared_ptr<const Patches>> Prepare(const api::PictureReference& picture,
                                                 const std::string& scope, const Bytes& bytes,
                                                 const Service& service, const Admit& admit,
                                                 ThreadPool& pool);

  // Returns what a picture may have to be decoded by `service` here.
  DecodeLimits LimitsOf(const Service& service, PixelWork work) const {
    return gate_.Fit(service.decode_limits, work);
  }

 private:
  PictureLoader(const ServerOptions& options, PictureFolder folder, Metrics& metrics);

  Result<std::vector<std::byte>> ReadUrl(const std::string& text,
                                         const std::atomic<bool>& cancelled) const;
  Result<Bytes> ReadUnnamed(api::PictureReference& picture, const std::string& scope,
                            const std::atomic<bool>& cancelled);
  Result<std::shared_ptr<const Patches>> PrepareUnnamed(const api::PictureReference& picture,
                                                        const Bytes& bytes, const Service& service,
                                                        const Admit& admit, ThreadPool& pool);
  Result<std::shared_ptr<const Patches>> PrepareEnhanced(const api::PictureReference& picture,
                                                         const Bytes& bytes, const Service& service,
                                                         const Admit& admit, ThreadPool& pool);

  const size_t max_picture_bytes_;
  const PictureFetcher fetcher_;
  const PictureFolder folder_;
  PictureStore store_;
  DecodeGate gate_;
  Metrics& metrics_;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_PICTURE_LOADER_H_
