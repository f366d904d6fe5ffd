#include "api/responses_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/conversation_fields.h"
#include "api/request_fields.h"
#include "api/responses_input.h"
#include "api/sampling_fields.h"
#include "api/unsupported_fields.h"
#include "base/quoted.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxInstructionBytes = size_t{1} << 20;
constexpr size_t kMaxIdBytes = 512;
constexpr size_t kMaxMetadataPairs = 16;
constexpr size_t kMaxMetadataKeyBytes = 64 * 4;  // OpenAI's limits count characters
constexpr size_t kMaxMetadataValueBytes = 512 * 4;
constexpr size_t kMaxIncludes = 32;

// What may be asked to be included. Only logprobs exist here; the others concern things that a
// response of this server never holds, so there is nothing of them to include.
constexpr std::string_view kLogprobsInclude = "message.output_text.logprobs";
constexpr std::string_view kEmptyIncludes[] = {
    "reasoning.encrypted_content",    "message.input_image.image_url",
    "file_search_call.results",       "web_search_call.results",
    "web_search_call.action.sources", "computer_call_output.output.image_url",
    "code_interpreter_call.outputs"};

Error Unsupported(std::string message, std::string param) {
  return Error{ErrorCode::kUnsupported, std::move(message), std::move(param)};
}

// Refuses what would need a memory of earlier responses or work in the background.
Status RefuseStored(const RequestFields& fields) {
  for (const std::string_view key : {"previous_response_id", "conversation", "prompt"}) {
    if (fields.Find(key) == nullptr) continue;
    return Unsupported(fmt::format("{} is not supported: nothing is stored here; send the whole "
                                   "conversation as input",
                                   key),
                       std::string(key));
  }
  OCELLI_ASSIGN_OR_RETURN(const auto background, fields.Bool("background"));
  if (!background.value_or(false)) return {};
  return Unsupported("background is not supported; stream the response, or use POST /predict",
                     "background");
}

// Reads what is to be included; only logprobs exist.
Status ReadIncludes(const RequestFields& fields, SamplingParams& params) {
  OCELLI_ASSIGN_OR_RETURN(const Json* includes, fields.List("include", kMaxIncludes));
  if (includes == nullptr) return {};
  for (const Json& include : *includes) {
    const auto* name = include.get_ptr<const std::string*>();
    if (name == nullptr) {
      return Error{ErrorCode::kInvalidArgument, "include must be a list of strings", "include"};
    }
    if (*name == kLogprobsInclude) {
      params.logprobs = true;
    } else if (std::ranges::find(kEmptyIncludes, *name) == std::end(kEmptyIncludes)) {
      return Unsupported(fmt::format("include has {}, which is not known here", Quoted(*name)),
                         "include");
    }
  }
  return {};
}

// Logprobs come with the include or with top_logprobs, which means nothing else.
Status ReadSampling(const RequestFields& fields, const RequestDefaults& defaults,
                    ResponsesRequest& request) {
  RequestDefaults with_logprobs = defaults;
  OCELLI_RETURN_IF_ERROR(ReadIncludes(fields, with_logprobs.params));
  OCELLI_ASSIGN_OR_RETURN(const auto top, fields.Integer("top_logprobs", 0, kMaxTopLogprobs));
  if (top.value_or(0) > 0) with_logprobs.params.logprobs = true;
  OCELLI_ASSIGN_OR_RETURN(request.call.params, ReadSamplingFields(fields, with_logprobs));
  if (request.call.params.n != 1) {
    return Unsupported("n is not a field of responses; a response has one answer", "n");
  }
  OCELLI_ASSIGN_OR_RETURN(const auto most, fields.Integer("max_output_tokens", 1, INT64_MAX));
  if (most) request.max_output_tokens = static_cast<size_t>(*most);
  return {};
}

Status ReadMetadata(const RequestFields& fields, ResponsesRequest& request) {
  OCELLI_ASSIGN_OR_RETURN(const Json* metadata, fields.Object("metadata"));
  if (metadata == nullptr) return {};
  if (metadata->size() > kMaxMetadataPairs) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("metadata has {} keys; at most {} are allowed", metadata->size(),
                             kMaxMetadataPairs),
                 "metadata"};
  }
  for (const auto& [key, value] : metadata->items()) {
    const bool fits = key.size() <= kMaxMetadataKeyBytes && value.is_string() &&
                      value.get_ref<const std::string&>().size() <= kMaxMetadataValueBytes;
    if (fits) continue;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("metadata[{}] must be a string of at most 512 characters under a key "
                             "of at most 64",
                             Quoted(key)),
                 "metadata"};
  }
  request.metadata = metadata->dump();
  return {};
}

// Reasoning cannot be steered, so the wish changes nothing; the reply repeats it.
Status ReadReasoning(const RequestFields& fields, ResponsesRequest& request) {
  OCELLI_ASSIGN_OR_RETURN(const Json* reasoning, fields.Object("reasoning"));
  if (reasoning == nullptr) return {};
  const RequestFields inner(*reasoning, "reasoning.");
  Json echo = {{"effort", nullptr}, {"summary", nullptr}};
  for (const char* key : {"effort", "summary"}) {
    OCELLI_ASSIGN_OR_RETURN(const auto value, inner.String(key, 0, 32));
    if (value) echo[key] = *value;
  }
  request.reasoning = echo.dump();
  return {};
}

Status ReadText(const RequestFields& fields) {
  OCELLI_ASSIGN_OR_RETURN(const Json* text, fields.Object("text"));
  if (text == nullptr) return {};
  return RefuseFormat(RequestFields(*text, "text."), "format");
}

// Both values are accepted because both are honest here: a prompt that does not fit is an error,
// never shortened.
Status CheckTruncation(const RequestFields& fields) {
  OCELLI_ASSIGN_OR_RETURN(const auto truncation, fields.String("truncation", 0, 32));
  if (!truncation || *truncation == "disabled" || *truncation == "auto") return {};
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("truncation is {}; it must be disabled or auto", Quoted(*truncation)),
               "truncation"};
}

Status ReadEchoes(const RequestFields& fields, ResponsesRequest& request) {
  OCELLI_RETURN_IF_ERROR(ReadMetadata(fields, request));
  OCELLI_RETURN_IF_ERROR(ReadReasoning(fields, request));
  OCELLI_RETURN_IF_ERROR(CheckTruncation(fields));
  OCELLI_ASSIGN_OR_RETURN(const auto parallel, fields.Bool("parallel_tool_calls"));
  request.parallel_tool_calls = parallel.value_or(true);
  OCELLI_ASSIGN_OR_RETURN(request.safety_identifier,
                          fields.String("safety_identifier", 0, kMaxIdBytes));
  OCELLI_ASSIGN_OR_RETURN(request.prompt_cache_key,
                          fields.String("prompt_cache_key", 0, kMaxIdBytes));
  OCELLI_ASSIGN_OR_RETURN(request.user, fields.String("user", 0, kMaxIdBytes));
  return {};
}

Status ReadInput(const RequestFields& fields, Json value, const RequestDefaults& defaults,
                 ResponsesRequest& request) {
  ResponsesInput input;
  OCELLI_ASSIGN_OR_RETURN(request.instructions,
                          fields.String("instructions", 0, kMaxInstructionBytes));
  if (request.instructions && !request.instructions->empty()) {
    input.conversation.messages.push_back(
        {"system", {ContentPart::Text(*request.instructions)}, {}});
    input.sources.emplace_back("instructions");
  }
  if (value.is_null()) {
    return Error{ErrorCode::kInvalidArgument,
                 "input is missing; it must be a string or a list of items", "input"};
  }
  OCELLI_RETURN_IF_ERROR(ParseResponsesInput(std::move(value), input));
  request.call.conversation = std::move(input.conversation);
  request.call.prompt_field = "input";
  Status checked = CheckConversation(request.call, defaults);
  if (!checked.ok()) return AtSource(std::move(checked).error(), input.sources);
  return {};
}

}  // namespace

Result<ResponsesRequest> ParseResponsesRequest(std::string_view body,
                                               const RequestDefaults& defaults) {
  OCELLI_ASSIGN_OR_RETURN(Json object, ParseRequestBody(body));
  const RequestFields fields(object);
  ResponsesRequest request;
  OCELLI_RETURN_IF_ERROR(ReadModel(fields, defaults, request.call));
  OCELLI_RETURN_IF_ERROR(RefuseStored(fields));
  OCELLI_RETURN_IF_ERROR(RefuseUnsupportedFields(fields));
  OCELLI_RETURN_IF_ERROR(RefuseTools(fields));
  OCELLI_RETURN_IF_ERROR(ReadText(fields));
  OCELLI_RETURN_IF_ERROR(ReadSampling(fields, defaults, request));
  OCELLI_RETURN_IF_ERROR(ReadEchoes(fields, request));
  OCELLI_RETURN_IF_ERROR(ReadTimeout(fields, request.call));
  OCELLI_ASSIGN_OR_RETURN(const auto stream, fields.Bool("stream"));
  request.call.stream = stream.value_or(false);
  OCELLI_RETURN_IF_ERROR(ReadInput(fields, TakeField(object, "input"), defaults, request));
  return request;
}

}  // namespace ocelli::api
