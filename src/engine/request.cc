#include "engine/request.h"

#include "base/check.h"

namespace ocelli {

std::string_view FinishReasonName(FinishReason reason) {
  switch (reason) {
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kCancelled:
      return "cancelled";
    case FinishReason::kDeadline:
      return "deadline";
    case FinishReason::kLoop:
      return "loop";
    case FinishReason::kError:
      return "error";
  }
  OCELLI_CHECK(false, "finish reason {}", static_cast<int>(reason));
  return {};
}

}  // namespace ocelli
