#include "server/picture_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/base64.h"
#include "api/data_url.h"
#include "api/picture_budget.h"
#include "picture/decode.h"
#include "picture/size_rule.h"
#include "server/http_message.h"

namespace ocelli::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxSchemeBytes = 32;

// Returns `url` without the spaces and line ends around it, which copying leaves there.
std::string_view Stripped(std::string_view url) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin = url.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return url.substr(begin, url.find_last_not_of(kSpace) - begin + 1);
}

// Returns the scheme of "scheme://...", in lower case; "" for anything else.
std::string SchemeOf(std::string_view url) {
  const size_t end = url.substr(0, kMaxSchemeBytes).find("://");
  return end == std::string_view::npos ? "" : LowerCase(url.substr(0, end));
}

Error AtPlace(Error error, const api::PictureReference& picture) {
  if (!picture.param.empty()) error = error.WithContext(picture.param);
  error.param = picture.param;
  return error;
}

uint64_t NumPixels(SizePx size) {
  return static_cast<uint64_t>(size.width_px) * static_cast<uint64_t>(size.height_px);
}

// Raw base64, as some clients send it. What is none of a picture's URLs ends here too.
Result<std::vector<std::byte>> ReadBase64(std::string_view text, size_t limit_bytes) {
  auto bytes = api::DecodeBase64(text, limit_bytes);
  if (bytes.ok() || bytes.error().code == ErrorCode::kTooLarge) return bytes;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("the picture is neither a data URL (data:image/png;base64,...) nor an "
                           "http, https or file URL nor base64 ({})",
                           bytes.error().message),
               ""};
}

}  // namespace

Result<std::unique_ptr<PictureLoader>> PictureLoader::Create(const ServerOptions& options,
                                                             Metrics& metrics) {
  OCELLI_ASSIGN_OR_RETURN(PictureFolder folder, PictureFolder::Open(options.image_directory));
  return std::unique_ptr<PictureLoader>(new PictureLoader(options, std::move(folder), metrics));
}

PictureLoader::PictureLoader(const ServerOptions& options, PictureFolder folder, Metrics& metrics)
    : max_picture_bytes_(options.max_picture_bytes),
      fetcher_(HostList(options.image_hosts), options.max_picture_bytes, options.fetch_timeout),
      folder_(std::move(folder)),
      store_(options.picture_store_bytes),
      gate_(options.decode_memory_bytes),
      metrics_(metrics) {}

bool PictureLoader::IsFetched(const api::PictureReference& picture) const {
  const std::string scheme = SchemeOf(Stripped(picture.url));
  return fetcher_.enabled() && (scheme == "http" || scheme == "https");
}

Result<PictureLoader::Bytes> PictureLoader::ReadBytes(api::PictureReference& picture,
                                                      const std::string& scope,
                                                      const std::atomic<bool>& cancelled) {
  auto bytes = ReadUnnamed(picture, scope, cancelled);
  if (!bytes.ok()) return AtPlace(std::move(bytes).error(), picture);
  return bytes;
}

Result<PictureLoader::Bytes> PictureLoader::ReadUnnamed(api::PictureReference& picture,
                                                        const std::string& scope,
                                                        const std::atomic<bool>& cancelled) {
  if (picture.url.empty() && picture.bytes.empty() && !picture.uuid.empty()) {
    return store_.Get(scope, picture.uuid);
  }
  const std::string url = std::exchange(picture.url, {});
  if (!url.empty()) {
    OCELLI_ASSIGN_OR_RETURN(auto bytes, ReadUrl(url, cancelled));
    return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  }
  if (picture.bytes.size() > max_picture_bytes_) {
    return Error{ErrorCode::kTooLarge,
                 fmt::format("the picture has {} bytes, the limit is {}", picture.bytes.size(),
                             max_picture_bytes_),
                 ""};
  }
  return std::make_shared<const std::vector<std::byte>>(std::exchange(picture.bytes, {}));
}

Result<std::vector<std::byte>> PictureLoader::ReadUrl(const std::string& text,
                                                      const std::atomic<bool>& cancelled) const {
  const std::string_view url = Stripped(text);
  if (api::IsDataUrl(url)) return api::DecodeDataUrl(url, max_picture_bytes_);
  const std::string scheme = SchemeOf(url);
  if (scheme == "http" || scheme == "https") return fetcher_.Fetch(std::string(url), cancelled);
  if (scheme == "file") return folder_.Read(url, max_picture_bytes_);
  if (scheme.empty()) return ReadBase64(url, max_picture_bytes_);
  return Error{ErrorCode::kUnsupported,
               "pictures come as data, http, https or file URLs, and not under other schemes", ""};
}

Result<std::shared_ptr<const Patches>> PictureLoader::Prepare(
    const api::PictureReference& picture, const std::string& scope, const Bytes& bytes,
    const Service& service, const Admit& admit, ThreadPool& pool) {
  const Clock::time_point start = Clock::now();
  auto patches = PrepareUnnamed(picture, bytes, service, admit, pool);
  if (!patches.ok()) return AtPlace(std::move(patches).error(), picture);
  metrics_.ObservePicture(std::chrono::duration<double>(Clock::now() - start).count());
  if (!picture.uuid.empty()) {
    const Status kept = store_.Put(scope, picture.uuid, bytes);
    if (!kept.ok()) return AtPlace(kept.error(), picture);
  }
  return patches;
}

Result<std::shared_ptr<const Patches>> PictureLoader::PrepareUnnamed(
    const api::PictureReference& picture, const Bytes& bytes, const Service& service,
    const Admit& admit, ThreadPool& pool) {
  if (picture.enhance) return PrepareEnhanced(picture, bytes, service, admit, pool);
  const PictureOptions options = api::PictureBudget(picture, service.default_picture);
  const DecodeLimits limits = LimitsOf(service, PixelWork::kDecode);
  OCELLI_ASSIGN_OR_RETURN(const PictureInfo info, ProbePicture(*bytes, limits));
  OCELLI_ASSIGN_OR_RETURN(const SizePx size, ChooseSize(info.size, service.processor, options));
  OCELLI_RETURN_IF_ERROR(admit(static_cast<size_t>(NumImageTokens(size, service.processor))));
  const auto pass = gate_.Enter(NumPixels(info.size), PixelWork::kDecode);
  OCELLI_ASSIGN_OR_RETURN(const RgbImage image, DecodePicture(*bytes, limits));
  OCELLI_ASSIGN_OR_RETURN(Patches patches, PreparePicture(image, service.processor, options, pool));
  return std::make_shared<const Patches>(std::move(patches));
}

// How many tokens an enhanced picture costs is known only when it is there.
Result<std::shared_ptr<const Patches>> PictureLoader::PrepareEnhanced(
    const api::PictureReference& picture, const Bytes& bytes, const Service& service,
    const Admit& admit, ThreadPool& pool) {
  const DecodeLimits limits = LimitsOf(service, PixelWork::kEnhance);
  OCELLI_ASSIGN_OR_RETURN(const PictureInfo info, ProbePicture(*bytes, limits));
  const auto pass = gate_.Enter(NumPixels(info.size), PixelWork::kEnhance);
  OCELLI_ASSIGN_OR_RETURN(RgbImage image, DecodePicture(*bytes, limits));
  OCELLI_ASSIGN_OR_RETURN(const EnhancedImage enhanced,
                          EnhancePicture(std::move(image), *picture.enhance));
  const PictureOptions options = api::PictureBudget(picture, service.default_picture);
  OCELLI_ASSIGN_OR_RETURN(const SizePx size,
                          ChooseSize(enhanced.image.size(), service.processor, options));
  OCELLI_RETURN_IF_ERROR(admit(static_cast<size_t>(NumImageTokens(size, service.processor))));
  OCELLI_ASSIGN_OR_RETURN(Patches patches,
                          PrepareEnhancedPicture(enhanced, service.processor, options, pool));
  return std::make_shared<const Patches>(std::move(patches));
}

}  // namespace ocelli::server
