#ifndef OCELLI_API_UNSUPPORTED_FIELDS_H_
#define OCELLI_API_UNSUPPORTED_FIELDS_H_

#include "api/request_fields.h"
#include "base/error.h"

namespace ocelli::api {

// Refuses fields that OpenAI, vLLM or llama.cpp know, that would change the answer, and that are
// not done here: an answer that silently ignores them would be wrong. A field with the value that
// asks for nothing (null, false, 0, "", [], {}) passes. **Errors**: kUnsupported naming the field.
Status RefuseUnsupportedFields(const RequestFields& fields);

// Refuses tools, unless the caller also says that none may be called, and every choice of a tool.
// **Errors**: as above.
Status RefuseTools(const RequestFields& fields);

// Refuses every format but {"type": "text"} under `key`. **Errors**: kInvalidArgument,
// kUnsupported.
Status RefuseFormat(const RequestFields& fields, std::string_view key);

}  // namespace ocelli::api

#endif  // OCELLI_API_UNSUPPORTED_FIELDS_H_
