#ifndef OCELLI_CLI_ASK_INPUT_H_
#define OCELLI_CLI_ASK_INPUT_H_

#include <memory>
#include <string>
#include <vector>

#include "api/chat_messages.h"
#include "base/error.h"
#include "parallel/thread_pool.h"
#include "picture/decode_limits.h"
#include "picture/patches.h"

namespace ocelli::cli {

// Makes the conversation of `ocelli ask [PICTURE...] QUESTION`: the last argument is the question,
// what stands before it are pictures, in that order. **Errors**: kInvalidArgument for no question.
Result<api::Conversation> ConversationFromArguments(const std::vector<std::string>& arguments);

// Reads a conversation from a JSON file ("-": standard input). **Errors**: as ReadFile and
// ParseConversationText, with the file's name.
Result<api::Conversation> ConversationFromFile(const std::string& path);

// Reads, decodes and cuts one picture: a data URL or a path (file:// too). On the command line the
// caller's own files are the caller's business, so any path is allowed; the network is not used.
// **Errors**: those of ReadFile, DecodePicture and PreparePicture; each names the picture and
// carries its `param`. **Threads**: uses `pool`.
Result<std::shared_ptr<const Patches>> LoadPicture(const api::PictureReference& picture,
                                                   const DecodeLimits& limits,
                                                   const ProcessorOptions& processor,
                                                   const PictureOptions& defaults,
                                                   ThreadPool& pool);

// Returns how a picture is called in messages and results: its path, or what it is instead.
std::string PictureName(const api::PictureReference& picture);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_ASK_INPUT_H_
