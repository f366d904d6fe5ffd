#ifndef OCELLI_API_CONVERSATION_FIELDS_H_
#define OCELLI_API_CONVERSATION_FIELDS_H_

#include <nlohmann/json_fwd.hpp>

#include "api/generation_call.h"
#include "api/request_defaults.h"
#include "api/request_fields.h"
#include "base/error.h"

namespace ocelli::api {

// Reads `model`, which may be absent, and takes over what its template does. **Errors**:
// kInvalidArgument; kNotFound for another model.
Status ReadModel(const RequestFields& fields, const RequestDefaults& defaults,
                 GenerationCall& call);

// Reads `timeout_seconds`. **Errors**: kInvalidArgument.
Status ReadTimeout(const RequestFields& fields, GenerationCall& call);

// Reads `messages`, the field of that name, and how they are rendered: chat_template_kwargs,
// add_generation_prompt, continue_final_message. **Errors**: those of ParseConversation and
// CheckConversation.
Status ReadMessages(const RequestFields& fields, nlohmann::ordered_json messages,
                    const RequestDefaults& defaults, GenerationCall& call);

// Checks, before any picture is loaded, that the template can render the call's conversation and
// that it has not too many pictures. **Errors**: kInvalidArgument, kUnsupported.
Status CheckConversation(const GenerationCall& call, const RequestDefaults& defaults);

}  // namespace ocelli::api

#endif  // OCELLI_API_CONVERSATION_FIELDS_H_
