#ifndef OCELLI_BASE_LOG_H_
#define OCELLI_BASE_LOG_H_

#include <fmt/format.h>

#include <string>
#include <utility>

namespace ocelli {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// Sets the least severe level that is written (default kWarning). **Threads**: any.
void SetLogLevel(LogLevel level);

// Writes one line to stderr, with time and level. **Threads**: any.
void LogLine(LogLevel level, const std::string& line);

template <typename... Args>
void LogInfo(fmt::format_string<Args...> format, Args&&... args) {
  LogLine(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void LogWarning(fmt::format_string<Args...> format, Args&&... args) {
  LogLine(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void LogError(fmt::format_string<Args...> format, Args&&... args) {
  LogLine(LogLevel::kError, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace ocelli

#endif  // OCELLI_BASE_LOG_H_
