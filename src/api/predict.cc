#include "api/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "api/conversation_fields.h"
#include "api/enhance_field.h"
#include "api/multipart.h"
#include "api/request_fields.h"
#include "api/sampling_fields.h"
#include "api/unsupported_fields.h"
#include "base/json.h"
#include "text/utf8.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxQuestionBytes = size_t{1} << 20;
constexpr std::string_view kUploadUrl = "upload:";  // stands in for bytes while a part is read
constexpr std::string_view kPictureKeys[] = {"picture", "pictures", "image", "images", "file"};
constexpr std::string_view kQuestionKeys[] = {"question", "prompt", "text"};
// Fields of a form that are text; what the others hold is read as JSON.
constexpr std::string_view kTextKeys[] = {"question", "prompt", "text", "system",
                                          "model",    "detail", "stop"};

Error Invalid(std::string message, std::string param) {
  return Error{ErrorCode::kInvalidArgument, std::move(message), std::move(param)};
}

template <typename Keys>
bool Contains(const Keys& keys, std::string_view key) {
  return std::ranges::find(keys, key) != std::end(keys);
}

// The fields of a request, whichever way they came, and its pictures in order.
struct PredictFields {
  struct Picture {
    Json value;              // a URL, base64, or an object as in a message part
    std::string_view bytes;  // in its place: an uploaded file
  };
  Json object = Json::object();
  std::vector<Picture> pictures;
};

void AddPictures(Json value, PredictFields& fields) {
  if (value.is_null()) return;
  if (!value.is_array()) {
    fields.pictures.push_back({std::move(value), {}});
    return;
  }
  for (Json& item : value) fields.pictures.push_back({std::move(item), {}});
}

Result<PredictFields> FieldsOfJson(std::string_view body) {
  PredictFields fields;
  OCELLI_ASSIGN_OR_RETURN(fields.object, ParseRequestBody(body));
  for (const std::string_view key : kPictureKeys) {
    AddPictures(TakeField(fields.object, key), fields);
  }
  return fields;
}

// Returns what a field of a form says: "64" is a number, "true" a bool, "stop" text.
Result<Json> FormValue(const FormPart& part) {
  if (!Contains(kTextKeys, part.name)) {
    if (auto value = ParseOrderedJson(part.content); value.ok()) return value;
  }
  if (IsValidUtf8(part.content)) return Json(std::string(part.content));
  return Invalid(fmt::format("{} is not UTF-8 text", part.name), part.name);
}

Status AddFormPart(const FormPart& part, PredictFields& fields) {
  std::string_view name = part.name;
  if (name.ends_with("[]")) name.remove_suffix(2);
  if (!Contains(kPictureKeys, name)) {
    if (fields.object.contains(name)) {
      return Invalid(fmt::format("{} stands in the form twice", name), std::string(name));
    }
    OCELLI_ASSIGN_OR_RETURN(fields.object[std::string(name)], FormValue(part));
    return {};
  }
  if (part.content.empty()) {
    // A form's file field that nobody filled.
    if (part.filename.empty()) return {};
    return Invalid(fmt::format("the uploaded file of {} is empty", name), std::string(name));
  }
  fields.pictures.push_back(
      {part.is_file ? Json() : Json(std::string(part.content)), part.is_file ? part.content : ""});
  return {};
}

Result<PredictFields> FieldsOfForm(std::string_view content_type, std::string_view body) {
  OCELLI_ASSIGN_OR_RETURN(const auto parts, ParseMultipartForm(content_type, body));
  PredictFields fields;
  for (const FormPart& part : parts) OCELLI_RETURN_IF_ERROR(AddFormPart(part, fields));
  return fields;
}

// Returns a picture in the form of a message part, with the wishes that stand beside it.
Json PartOf(Json value, const Json& object) {
  Json part = {{"type", "image"}};
  for (const char* key : {"detail", "min_pixels", "max_pixels", "enhance"}) {
    if (const auto found = object.find(key); found != object.end()) part[key] = *found;
  }
  if (!value.is_object()) {
    part["image"] = std::move(value);
    return part;
  }
  for (auto field = value.begin(); field != value.end(); ++field) {
    part[field.key()] = std::move(*field);
  }
  Json url = TakeField(part, "url");
  if (!url.is_null()) part.emplace("image", Json{{"url", std::move(url)}});
  return part;
}

Status AddPicture(PredictFields& fields, size_t index, ChatMessage& message,
                  std::vector<PictureReference>& pictures) {
  PredictFields::Picture& picture = fields.pictures[index];
  // An uploaded file goes through the same reading, so that its size wishes count.
  Json value = picture.bytes.empty() ? std::move(picture.value) : Json(kUploadUrl);
  OCELLI_RETURN_IF_ERROR(ParsePart(PartOf(std::move(value), fields.object),
                                   fmt::format("pictures[{}]", index), message, pictures));
  if (picture.bytes.empty()) return {};
  const auto bytes = std::as_bytes(std::span(picture.bytes));
  pictures.back().url.clear();
  pictures.back().bytes.assign(bytes.begin(), bytes.end());
  return {};
}

// Pictures that are enhanced are there to be read.
bool IsReading(const std::vector<PictureReference>& pictures) {
  return std::ranges::any_of(pictures,
                             [](const auto& picture) { return picture.enhance.has_value(); });
}

Result<std::string> ReadQuestion(const RequestFields& fields, bool reading) {
  std::optional<std::string> question;
  for (const std::string_view key : kQuestionKeys) {
    OCELLI_ASSIGN_OR_RETURN(auto text, fields.String(key, 1, kMaxQuestionBytes));
    if (!text) continue;
    if (question) {
      return Invalid("question, prompt and text are the same; send one of them", std::string(key));
    }
    question = std::move(text);
  }
  if (!question && reading) return std::string(kReadAllText);
  if (!question) return Invalid("question is missing; it must be a text", "question");
  return *std::move(question);
}

Status ReadConversation(PredictFields& form, const RequestFields& fields,
                        Conversation& conversation) {
  OCELLI_ASSIGN_OR_RETURN(auto system, fields.String("system", 0, kMaxQuestionBytes));
  if (system && !system->empty()) {
    conversation.messages.push_back({"system", {ContentPart::Text(*std::move(system))}, {}});
  }
  ChatMessage user;
  user.role = "user";
  for (size_t i = 0; i < form.pictures.size(); ++i) {
    OCELLI_RETURN_IF_ERROR(AddPicture(form, i, user, conversation.pictures));
  }
  OCELLI_ASSIGN_OR_RETURN(std::string question,
                          ReadQuestion(fields, IsReading(conversation.pictures)));
  user.content.push_back(ContentPart::Text(std::move(question)));
  conversation.messages.push_back(std::move(user));
  return {};
}

// What reading a page wants: the likeliest text, no penalty on what repeats, and an end to loops. A
// model that reasons first needs the room for that.
RequestDefaults PredictDefaults(const RequestDefaults& defaults) {
  RequestDefaults result = defaults;
  result.params = SamplingParams{};
  result.params.max_new_tokens =
      defaults.thinking ? std::max(kPredictMaxNewTokens, defaults.params.max_new_tokens)
                        : kPredictMaxNewTokens;
  result.params.loop_guard = true;
  return result;
}

// A task has one text as its result.
Status RefuseOtherAnswers(const RequestFields& fields, const SamplingParams& params) {
  OCELLI_ASSIGN_OR_RETURN(const auto stream, fields.Bool("stream"));
  const char* param = stream.value_or(false) ? "stream"
                      : params.n != 1        ? "n"
                      : params.logprobs      ? "logprobs"
                                             : nullptr;
  if (param == nullptr) return {};
  return Error{ErrorCode::kUnsupported,
               fmt::format("{} is not a field of /predict; use /v1/chat/completions", param),
               param};
}

}  // namespace

Result<GenerationCall> ParsePredictRequest(std::string_view content_type, std::string_view body,
                                           const RequestDefaults& defaults) {
  OCELLI_ASSIGN_OR_RETURN(PredictFields form, IsMultipartForm(content_type)
                                                  ? FieldsOfForm(content_type, body)
                                                  : FieldsOfJson(body));
  const RequestFields fields(form.object);
  GenerationCall call;
  call.prompt_field = kQuestionKeys[0];
  OCELLI_RETURN_IF_ERROR(ReadModel(fields, defaults, call));
  OCELLI_RETURN_IF_ERROR(RefuseUnsupportedFields(fields));
  OCELLI_RETURN_IF_ERROR(RefuseTools(fields));
  OCELLI_RETURN_IF_ERROR(RefuseFormat(fields, "response_format"));
  OCELLI_ASSIGN_OR_RETURN(call.params, ReadSamplingFields(fields, PredictDefaults(defaults)));
  OCELLI_RETURN_IF_ERROR(RefuseOtherAnswers(fields, call.params));
  OCELLI_RETURN_IF_ERROR(ReadTimeout(fields, call));
  OCELLI_RETURN_IF_ERROR(ReadConversation(form, fields, call.conversation));
  OCELLI_RETURN_IF_ERROR(CheckConversation(call, defaults));
  return call;
}

}  // namespace ocelli::api
