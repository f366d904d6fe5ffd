#ifndef OCELLI_BASE_CHECK_H_
#define OCELLI_BASE_CHECK_H_

#include <fmt/format.h>

#include <string>

namespace ocelli::internal {

// Prints "CHECK failed: condition (message) at file:line" and aborts. Takes the message by value so
// that callers pay for formatting only when they fail.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              const std::string& message) noexcept;

}  // namespace ocelli::internal

// Ends the process when `condition` is false: for our own bugs only, never reachable from input.
// Use: OCELLI_CHECK(a == b, "a={} b={}", a, b). The message is required.
#define OCELLI_CHECK(condition, ...)                                                               \
  do {                                                                                             \
    if (!(condition)) [[unlikely]] {                                                               \
      ::ocelli::internal::CheckFailed(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
    }                                                                                              \
  } while (false)

#endif  // OCELLI_BASE_CHECK_H_
