#ifndef OCELLI_SERVER_PREPARATION_H_
#define OCELLI_SERVER_PREPARATION_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/generation_call.h"
#include "api/reply.h"
#include "base/error.h"
#include "server/byte_budget.h"
#include "server/picture_loader.h"
#include "server/service.h"
#include "server/worker_pool.h"

namespace ocelli::server {

// What preparing a call needs; outlives every preparation.
struct PreparationTools {
  PictureLoader& loader;
  WorkerPool& decoders;
  WorkerPool& fetchers;                  // they wait for other hosts, so that decoders need not
  std::shared_ptr<ByteBudget> prepared;  // memory of pictures on their way through the engine
};

// A call that the engine can take.
struct PreparedCall {
  GenerateRequest request;
  std::vector<api::PictureUse> pictures;
  double picture_seconds = 0;
  ByteShare share;  // what its pictures take; keep it as long as they live
};

// Loads the pictures of one call, each on whichever worker is free, and makes the engine's request.
// **Threads**: Cancel from any.
class Preparation : public std::enable_shared_from_this<Preparation> {
 public:
  // Called once, on a worker or inside Start. **Errors**: what was wrong with the call or a
  // picture; kResourceExhausted when too much is under way.
  using Done = std::function<void(Result<PreparedCall>)>;

  Preparation(PreparationTools tools, std::shared_ptr<const Service> service, std::string scope)
      : tools_(tools),
        service_(std::move(service)),
        scope_(std::move(scope)),
        share_(tools_.prepared) {}

  // Begins. `memory` (what the text of the call takes of a budget) is let go with the call, as soon
  // as its pictures are loaded. Call it once, on a worker.
  void Start(api::GenerationCall call, std::shared_ptr<const void> memory, Done done);

  // Makes it end soon, with kCancelled.
  void Cancel() { cancelled_ = true; }

  // Forgets whom to tell, when no worker is left to end it.
  void Forget();

 private:
  void PostDecode(size_t index, PictureLoader::Bytes bytes);
  void Fetch(size_t index);
  void Decode(size_t index, const PictureLoader::Bytes& bytes, ThreadPool& pool);
  Result<std::shared_ptr<const Patches>> LoadOne(size_t index, const PictureLoader::Bytes& bytes,
                                                 ThreadPool& pool);
  Status Admit(const api::PictureReference& picture, size_t image_tokens);
  void Loaded(size_t index, std::shared_ptr<const Patches> patches);
  void Finish();
  Result<PreparedCall> Combine();
  void Fail(Error error);
  void Conclude(Result<PreparedCall> result);

  const PreparationTools tools_;
  const std::shared_ptr<const Service> service_;
  const std::string scope_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  api::GenerationCall call_;
  std::shared_ptr<const void> memory_;
  std::atomic<bool> cancelled_{false};

  std::mutex mutex_;  // guards what follows
  Done done_;         // null once called
  ByteShare share_;
  size_t image_tokens_ = 0;
  size_t num_missing_ = 0;
  std::vector<std::shared_ptr<const Patches>> patches_;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_PREPARATION_H_
