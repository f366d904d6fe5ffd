#ifndef OCELLI_BASE_ERROR_H_
#define OCELLI_BASE_ERROR_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/check.h"

namespace ocelli {

// What kind of trouble an Error is. One table (api/error_table) maps these to HTTP status codes;
// the command line maps them to exit codes.
enum class ErrorCode {
  kInvalidArgument,    // the caller asked for something that makes no sense
  kUnsupported,        // understood, but this program does not do it
  kTooLarge,           // over a stated limit
  kNotFound,           // no such file, model, tensor
  kCorruptData,        // bytes that are not what they claim to be
  kIo,                 // the operating system or the network failed
  kResourceExhausted,  // memory, disk, queue
  kCancelled,          // the caller left or its deadline passed
  kUnavailable,        // not ready yet
  kInternal,           // a computation failed; the caller did nothing wrong
};

// Returns the snake_case name of `code`, for logs and JSON.
std::string_view ErrorCodeName(ErrorCode code);

// Bad input or a bad world. `message` is one sentence that says what, where, the limit and what to
// do; `param` names the request field or file it is about, or is empty.
struct Error {
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string message;
  std::string param;

  // Returns this error with `prefix` and ": " put before its message.
  Error WithContext(std::string_view prefix) const;
};

// A value or the Error that kept us from having one. Our own bugs are OCELLI_CHECKs, never Errors.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    OCELLI_CHECK(ok(), "value() of an error: {}", std::get<1>(state_).message);
    return std::get<0>(state_);
  }
  const T& value() const& {
    OCELLI_CHECK(ok(), "value() of an error: {}", std::get<1>(state_).message);
    return std::get<0>(state_);
  }
  T&& value() && {
    OCELLI_CHECK(ok(), "value() of an error: {}", std::get<1>(state_).message);
    return std::move(std::get<0>(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& {
    OCELLI_CHECK(!ok(), "error() of a value");
    return std::get<1>(state_);
  }
  Error&& error() && {
    OCELLI_CHECK(!ok(), "error() of a value");
    return std::move(std::get<1>(state_));
  }

 private:
  std::variant<T, Error> state_;
};

// Success, or the Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const& {
    OCELLI_CHECK(!ok(), "error() of a success");
    return *error_;
  }
  Error&& error() && {
    OCELLI_CHECK(!ok(), "error() of a success");
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};
using Status = Result<void>;

}  // namespace ocelli

#define OCELLI_CONCAT_INNER(a, b) a##b
#define OCELLI_CONCAT(a, b) OCELLI_CONCAT_INNER(a, b)

// Returns the error of `expr` (a Status or Result) from the calling function, if it has one.
#define OCELLI_RETURN_IF_ERROR(expr)                        \
  do {                                                      \
    if (auto ocelli_status = (expr); !ocelli_status.ok()) { \
      return std::move(ocelli_status).error();              \
    }                                                       \
  } while (false)

// Binds the value of `expr` (a Result) to `lhs`, or returns its error from the calling function.
#define OCELLI_ASSIGN_OR_RETURN(lhs, expr) \
  OCELLI_ASSIGN_OR_RETURN_IMPL(OCELLI_CONCAT(ocelli_result_, __LINE__), lhs, expr)
#define OCELLI_ASSIGN_OR_RETURN_IMPL(result, lhs, expr) \
  auto result = (expr);                                 \
  if (!result.ok()) return std::move(result).error();   \
  lhs = std::move(result).value()

#endif  // OCELLI_BASE_ERROR_H_
