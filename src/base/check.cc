#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace ocelli::internal {

void CheckFailed(const char* file, int line, const char* condition,
                 const std::string& message) noexcept {
  std::fprintf(stderr, "CHECK failed: %s (%s) at %s:%d\n", condition, message.c_str(), file, line);
  std::fflush(stderr);
  std::abort();
}

}  // namespace ocelli::internal
