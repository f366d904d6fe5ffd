#ifndef OCELLI_API_PREDICT_H_
#define OCELLI_API_PREDICT_H_

#include <cstddef>
#include <string_view>

#include "api/generation_call.h"
#include "api/request_defaults.h"
#include "base/error.h"

namespace ocelli::api {

// The longest answer of POST /predict when nothing is said: a page of text.
inline constexpr size_t kPredictMaxNewTokens = 1024;

// Parses the body of POST /predict into a call with one user turn, its pictures first: JSON
// (`content_type` application/json or none) or multipart/form-data. docs/api.md lists the fields.
// The answer is greedy and guarded against endless repetition unless the caller says otherwise.
// **Errors**: kInvalidArgument, kUnsupported, kTooLarge with the field as `param`. **Threads**:
// any.
Result<GenerationCall> ParsePredictRequest(std::string_view content_type, std::string_view body,
                                           const RequestDefaults& defaults);

}  // namespace ocelli::api

#endif  // OCELLI_API_PREDICT_H_
