#ifndef OCELLI_CLI_ASK_INPUT_H_
#define OCELLI_CLI_ASK_INPUT_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/chat_messages.h"
#include "base/error.h"
#include "parallel/thread_pool.h"
#include "picture/decode_limits.h"
#include "picture/patches.h"

namespace ocelli::cli {

// Makes the conversation of `ocelli ask [PICTURE...] QUESTION`: the last argument is the question,
// what stands before it are pictures, in that order. With `question` all arguments are pictures.
// **Errors**: kInvalidArgument for no question.
Result<api::Conversation> ConversationFromArguments(std::vector<std::string> arguments,
                                                    std::string_view question = "");

// Reads a conversation from a JSON file ("-": standard input). **Errors**: as ReadFile and
// ParseConversationText, with the file's name.
Result<api::Conversation> ConversationFromFile(const std::string& path);

// Reads, decodes and cuts one picture: a data URL or a path (file:// too). On the command line the
// caller's own files are the caller's business, so any path is allowed; the network is not used.
// A picture that is enhanced is shown to `seen` as it became.
// **Errors**: those of ReadFile, DecodePicture, EnhancePicture, PreparePicture and `seen`; each
// names the picture and carries its `param`. **Threads**: uses `pool`.
using EnhancedSink = std::function<Status(const RgbImage&)>;
Result<std::shared_ptr<const Patches>> LoadPicture(const api::PictureReference& picture,
                                                   const DecodeLimits& limits,
                                                   const ProcessorOptions& processor,
                                                   const PictureOptions& defaults, ThreadPool& pool,
                                                   const EnhancedSink& seen = {});

// Returns how a picture is called in messages and results: its path, or what it is instead.
std::string PictureName(const api::PictureReference& picture);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_ASK_INPUT_H_
