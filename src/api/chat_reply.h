#ifndef OCELLI_API_CHAT_REPLY_H_
#define OCELLI_API_CHAT_REPLY_H_

#include <memory>

#include "api/chat_request.h"
#include "api/reply.h"

namespace ocelli::api {

// Makes the answer of POST /v1/chat/completions to `request`. Whole: a chat.completion. Streamed:
// chat.completion.chunk events, the role of every choice first, then reasoning_content if the model
// reasons, then text, a finish_reason for each
// choice, usage when it was asked for, and [DONE]. Progress (queue, pictures, prompt) goes out as
// server-sent comments, and as chunks with "ocelli_progress" when that was asked for.
std::unique_ptr<Reply> MakeChatReply(ReplyContext context, const ChatRequest& request);

}  // namespace ocelli::api

#endif  // OCELLI_API_CHAT_REPLY_H_
