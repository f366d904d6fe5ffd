#ifndef OCELLI_API_RESPONSES_REPLY_H_
#define OCELLI_API_RESPONSES_REPLY_H_

#include <memory>

#include "api/reply.h"
#include "api/responses_request.h"

namespace ocelli::api {

// Makes the answer of POST /v1/responses to `request`. Whole: a response object. Streamed: its
// events from response.created to response.completed, .incomplete or .failed, each with its
// sequence_number; there is no [DONE]. Reasoning is an output item before the message. Progress
// goes out as server-sent comments.
std::unique_ptr<Reply> MakeResponsesReply(ReplyContext context, const ResponsesRequest& request);

}  // namespace ocelli::api

#endif  // OCELLI_API_RESPONSES_REPLY_H_
