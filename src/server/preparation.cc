#include "server/preparation.h"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <utility>

namespace ocelli::server {
namespace {

Error Busy() {
  return Error{ErrorCode::kResourceExhausted,
               "too many pictures are being prepared: try again later", ""};
}
Error Cancelled() { return Error{ErrorCode::kCancelled, "the client left", ""}; }

// What the patches of one image token take. **Units**: bytes.
size_t BytesPerImageToken(const ProcessorOptions& processor) {
  const auto side = static_cast<size_t>(processor.factor());
  return side * side * 3 * sizeof(float);
}

}  // namespace

void Preparation::Start(api::GenerationCall call, std::shared_ptr<const void> memory, Done done) {
  call_ = std::move(call);
  memory_ = std::move(memory);
  done_ = std::move(done);
  const size_t count = call_.conversation.pictures.size();
  patches_.resize(count);
  num_missing_ = count;
  if (count == 0) return Finish();
  for (size_t i = 0; i < count; ++i) {
    if (!tools_.loader.IsFetched(call_.conversation.pictures[i])) {
      PostDecode(i, nullptr);
    } else if (!tools_.fetchers.Post(
                   [self = shared_from_this(), i](ThreadPool&) { self->Fetch(i); })) {
      Fail(Busy());
    }
  }
}

void Preparation::Forget() {
  Done done;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  done.swap(done_);
}

void Preparation::Fetch(size_t index) {
  auto bytes = tools_.loader.ReadBytes(call_.conversation.pictures[index], scope_, cancelled_);
  if (!bytes.ok()) return Fail(std::move(bytes).error());
  PostDecode(index, std::move(bytes).value());
}

void Preparation::PostDecode(size_t index, PictureLoader::Bytes bytes) {
  const bool posted =
      tools_.decoders.Post([self = shared_from_this(), index, bytes = std::move(bytes)](
                               ThreadPool& pool) { self->Decode(index, bytes, pool); });
  if (!posted) Fail(Busy());
}

void Preparation::Decode(size_t index, const PictureLoader::Bytes& bytes, ThreadPool& pool) {
  try {
    auto patches = LoadOne(index, bytes, pool);
    if (!patches.ok()) return Fail(std::move(patches).error());
    Loaded(index, std::move(patches).value());
  } catch (const std::bad_alloc&) {
    Fail(Busy());
  }
}

Result<std::shared_ptr<const Patches>> Preparation::LoadOne(size_t index,
                                                            const PictureLoader::Bytes& bytes,
                                                            ThreadPool& pool) {
  if (cancelled_) return Cancelled();
  api::PictureReference& picture = call_.conversation.pictures[index];  // this task's own
  PictureLoader::Bytes encoded = bytes;
  if (encoded == nullptr) {
    OCELLI_ASSIGN_OR_RETURN(encoded, tools_.loader.ReadBytes(picture, scope_, cancelled_));
  }
  return tools_.loader.Prepare(
      picture, scope_, encoded, *service_,
      [&](size_t image_tokens) { return Admit(picture, image_tokens); }, pool);
}

Status Preparation::Admit(const api::PictureReference& picture, size_t image_tokens) {
  if (cancelled_) return Cancelled();
  const std::lock_guard lock(mutex_);
  image_tokens_ += image_tokens;
  if (image_tokens_ > service_->max_context_tokens) {
    return Error{ErrorCode::kTooLarge,
                 fmt::format("the pictures up to this one take {} tokens and the context has {}: "
                             "send fewer, or smaller ones with \"detail\": \"low\" or max_pixels",
                             image_tokens_, service_->max_context_tokens),
                 picture.param};
  }
  if (share_.Take(image_tokens * BytesPerImageToken(service_->processor))) return {};
  return Busy();
}

void Preparation::Loaded(size_t index, std::shared_ptr<const Patches> patches) {
  {
    const std::lock_guard lock(mutex_);
    patches_[index] = std::move(patches);
    if (--num_missing_ > 0) return;
  }
  Finish();
}

void Preparation::Finish() {
  if (cancelled_) return Fail(Cancelled());
  Conclude(Combine());
}

Result<PreparedCall> Preparation::Combine() {
  const std::lock_guard lock(mutex_);
  PreparedCall prepared{{}, {}, 0, std::move(share_)};
  for (const auto& patches : patches_) {
    prepared.pictures.push_back(api::PictureUseOf(*patches));
  }
  const auto spent = std::chrono::steady_clock::now() - start_;
  prepared.picture_seconds = std::chrono::duration<double>(spent).count();
  OCELLI_ASSIGN_OR_RETURN(
      prepared.request, api::MakeGenerateRequest(call_, std::move(patches_), *service_->tokenizer));
  call_ = {};
  memory_.reset();
  return prepared;
}

void Preparation::Fail(Error error) {
  cancelled_ = true;  // the other pictures need not be loaded
  Conclude(std::move(error));
}

void Preparation::Conclude(Result<PreparedCall> result) {
  Done done;
  {
    const std::lock_guard lock(mutex_);
    done = std::exchange(done_, nullptr);
  }
  if (done) done(std::move(result));
}

}  // namespace ocelli::server
