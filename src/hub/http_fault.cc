#include "hub/http_fault.h"

#include <fmt/format.h>

#include "base/printable.h"

namespace ocelli::hub {
namespace {

constexpr size_t kMaxReasonBytes = 200;

std::string What(const HttpPurpose& purpose) {
  return purpose.file.empty() ? purpose.repo.Text()
                              : fmt::format("{} of {}", purpose.file, purpose.repo.Text());
}

std::string PageOf(const HttpPurpose& purpose) {
  return fmt::format("{}/{}", purpose.endpoint, purpose.repo.Text());
}

Error NoAnswer(const HttpResponse& response, const HttpPurpose& purpose) {
  return Error{
      ErrorCode::kUnavailable,
      fmt::format("{} cannot be fetched from {}: {}; what is there is kept: try again, set "
                  "https_proxy or HF_ENDPOINT (a mirror), or use --source modelscope",
                  What(purpose), response.Host(), Printable(response.broken, kMaxReasonBytes)),
      "network"};
}

// 401: the hub does not tell strangers whether a model is missing, private or gated.
Error Stranger(const HttpResponse& response, const HttpPurpose& purpose) {
  if (purpose.token_sent) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} does not accept HF_TOKEN for {} (401); make a new token at "
                             "{}/settings/tokens, or check the model's name",
                             response.Host(), What(purpose), purpose.endpoint),
                 "HF_TOKEN"};
  }
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("{} gives {} to nobody without a token (401): check the name, accept the "
                  "licence at {} and set HF_TOKEN",
                  response.Host(), What(purpose), PageOf(purpose)),
      "model"};
}

Error Forbidden(const HttpResponse& response, const HttpPurpose& purpose) {
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("{} refuses {} (403): accept its licence at {} and set HF_TOKEN to a token "
                  "{}that may read it",
                  response.Host(), What(purpose), PageOf(purpose),
                  purpose.token_sent ? "of the same account " : ""),
      "HF_TOKEN"};
}

Error NotThere(const HttpResponse& response, const HttpPurpose& purpose) {
  if (response.Header("x-error-code") == "RevisionNotFound") {
    return Error{ErrorCode::kNotFound,
                 fmt::format("{} has no revision {} of {} (404); {} lists them", response.Host(),
                             purpose.revision, purpose.repo.Text(), PageOf(purpose)),
                 "revision"};
  }
  return Error{ErrorCode::kNotFound,
               fmt::format("{} has no {} at revision {} (404); check the name, the revision and, "
                           "for a private model, HF_TOKEN",
                           response.Host(), What(purpose), purpose.revision),
               "model"};
}

Error Busy(const HttpResponse& response, const HttpPurpose& purpose) {
  const std::string_view wait = response.Header("retry-after");
  return Error{
      ErrorCode::kUnavailable,
      fmt::format("{} is busy and did not send {} ({}{}); what is there is kept: try again "
                  "later, or use --source modelscope",
                  response.Host(), What(purpose), response.status,
                  wait.empty()
                      ? ""
                      : fmt::format(", it asks to wait {}", Printable(wait, kMaxReasonBytes))),
      "network"};
}

}  // namespace

Error HttpFault(const HttpResponse& response, const HttpPurpose& purpose) {
  if (response.status == 0 || !response.broken.empty()) return NoAnswer(response, purpose);
  if (response.status == 401) return Stranger(response, purpose);
  if (response.status == 403) return Forbidden(response, purpose);
  if (response.status == 404) return NotThere(response, purpose);
  if (response.status == 408 || response.status == 429 || response.status >= 500) {
    return Busy(response, purpose);
  }
  return Error{
      ErrorCode::kIo,
      fmt::format("{} answers {} to the request for {}, which is no answer of a hub; check "
                  "HF_ENDPOINT and https_proxy",
                  response.Host(), response.status, What(purpose)),
      "network"};
}

}  // namespace ocelli::hub
