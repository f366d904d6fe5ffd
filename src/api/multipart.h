#ifndef OCELLI_API_MULTIPART_H_
#define OCELLI_API_MULTIPART_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ocelli::api {

// One part of a form. The views point into the body.
struct FormPart {
  std::string name;
  std::string filename;  // may be empty
  bool is_file = false;  // it has a file name, or a Content-Type that is not text
  std::string_view content;
};

inline constexpr size_t kMaxFormParts = 256;
inline constexpr size_t kMaxFormHeaderBytes = 8192;  // of one part

// Returns whether `content_type` is multipart/form-data, whatever its case and parameters.
bool IsMultipartForm(std::string_view content_type);

// Splits a multipart/form-data body. `content_type` is the request's header, with the boundary.
// **Errors**: kInvalidArgument for a missing or bad boundary, a part without a name, or a body that
// ends early; kTooLarge for more parts or longer part headers than the limits above.
// **Ref**: RFC 7578, RFC 2046 section 5.1.1.
Result<std::vector<FormPart>> ParseMultipartForm(std::string_view content_type,
                                                 std::string_view body);

}  // namespace ocelli::api

#endif  // OCELLI_API_MULTIPART_H_
