#ifndef OCELLI_HUB_PART_FETCHER_H_
#define OCELLI_HUB_PART_FETCHER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "hub/http_client.h"
#include "hub/http_fault.h"
#include "hub/hub_settings.h"
#include "hub/part_ledger.h"
#include "hub/retry.h"

namespace ocelli::hub {

// Fetches parts of one file over several connections: each asks for a run of missing parts, and
// what a broken connection brought is kept. A server without ranges sends the whole file over one
// connection, and the parts that are there already are skipped. Nothing is checked here but sizes.
class PartFetcher {
 public:
  enum class Next { kGoOn, kStop };
  // Takes a whole part.
  using OnPart = std::function<Result<Next>(size_t part, const std::string& bytes)>;
  // Hears now and then how many bytes have come since the start; true: the caller leaves.
  using OnTick = std::function<bool(uint64_t received_bytes)>;

  // `request` asks for the whole file. All references must outlive the fetcher.
  PartFetcher(HttpClient& client, const HubSettings& settings, const PartLedger& ledger,
              HttpRequest request, HttpPurpose purpose);

  // Fetches the parts for which `needed` is true, in no fixed order, until all are there or
  // `on_part` stops it. **Errors**: as HttpFault; kCorruptData when the server's file is not as
  // large as the hub says; kCancelled; those of `on_part`.
  Status Fetch(std::vector<bool> needed, const OnPart& on_part, const OnTick& on_tick);

 private:
  // A connection's run of parts.
  struct Run {
    uint64_t position = 0;  // of the next byte in the file
    uint64_t end = 0;
    bool head_seen = false;
    std::string buffer;  // of the part at `position`, from its first byte
  };

  void StartRuns();
  bool StartRun();
  void Claim(HttpClient::Id id, uint64_t begin, uint64_t end);
  bool Take(HttpClient::Id id, const HttpResponse& head, std::string_view data);
  bool CheckHead(HttpClient::Id id, Run& run, const HttpResponse& head);
  bool BeginWhole(HttpClient::Id id, Run& run);
  bool TakePiece(HttpClient::Id id, Run& run, std::string_view piece);
  bool Complete(size_t part, Run& run);
  Status End(HttpClient::Id id, const HttpResponse& response);
  Status WaitBeforeNext(const HttpResponse& response);
  void GiveBack(HttpClient::Id id);
  void StopAll();
  bool Done() const { return num_needed_ == 0; }
  Error WrongSize(const HttpResponse& head, uint64_t size_bytes) const;

  HttpClient& client_;
  const HubSettings& settings_;
  const PartLedger& ledger_;
  HttpRequest request_;
  HttpPurpose purpose_;
  Backoff backoff_;
  const OnPart* on_part_ = nullptr;

  std::vector<bool> needed_;
  size_t num_needed_ = 0;
  std::vector<HttpClient::Id> owner_;  // by part; 0: nobody fetches it
  std::map<HttpClient::Id, Run> runs_;
  std::map<size_t, std::string> started_;  // first bytes of parts whose connection broke
  bool ranges_ = true;
  bool stopped_ = false;
  Status failed_;
  uint64_t received_bytes_ = 0;
  uint64_t received_at_failure_ = 0;
  int connections_;
  std::chrono::steady_clock::time_point not_before_{};
};

}  // namespace ocelli::hub

#endif  // OCELLI_HUB_PART_FETCHER_H_
