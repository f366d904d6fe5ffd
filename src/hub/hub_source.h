#ifndef OCELLI_HUB_HUB_SOURCE_H_
#define OCELLI_HUB_HUB_SOURCE_H_

#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "hub/http_client.h"
#include "hub/http_fault.h"
#include "hub/hub_settings.h"
#include "hub/listing.h"
#include "hub/repo_id.h"

namespace ocelli::hub {

// Which hub to ask.
enum class SourceChoice {
  kAuto,  // Hugging Face; ModelScope when it cannot be reached
  kHuggingFace,
  kModelScope,
};

// Reads "auto", "huggingface" or "modelscope". **Errors**: kInvalidArgument.
Result<SourceChoice> ParseSourceChoice(std::string_view text);

// Asked now and then during long work; true: the caller wants no more of it.
using CancelCheck = std::function<bool()>;

// A hub: where its lists and files are.
class HubSource {
 public:
  virtual ~HubSource() = default;

  virtual std::string_view name() const = 0;
  // Returns the files of a revision. **Errors**: as HttpFault; kCorruptData for a list that is
  // none; kCancelled.
  virtual Result<Listing> List(HttpClient& client, const RepoId& repo, const std::string& revision,
                               const CancelCheck& cancelled) const = 0;
  // Returns the request for a file of a listed revision.
  virtual HttpRequest FileRequest(const RepoId& repo, const std::string& revision,
                                  const Listing& listing, const std::string& path) const = 0;
  // Returns what messages say about a request.
  virtual HttpPurpose Purpose(const RepoId& repo, const std::string& revision,
                              const std::string& path) const = 0;
};

// Returns Hugging Face or its mirror. `settings` must outlive the source.
std::unique_ptr<HubSource> MakeHuggingFace(const HubSettings& settings);
// Returns ModelScope, where "main" is called "master". `settings` must outlive the source.
std::unique_ptr<HubSource> MakeModelScope(const HubSettings& settings);

// Sends a request for a small answer, again where that may help, and returns the whole answer with
// its body. **Errors**: as HttpFault; kTooLarge above `limit_bytes`; kCancelled.
struct WholeAnswer {
  HttpResponse head;
  std::string body;
};
Result<WholeAnswer> FetchWhole(HttpClient& client, const HubSettings& settings,
                               const HttpRequest& request, const HttpPurpose& purpose,
                               size_t limit_bytes, const CancelCheck& cancelled);

}  // namespace ocelli::hub

#endif  // OCELLI_HUB_HUB_SOURCE_H_
