#include "api/responses_reply.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "api/error_table.h"
#include "api/finish_reason.h"
#include "api/ids.h"
#include "api/json_number.h"
#include "api/logprob_json.h"
#include "api/progress_json.h"
#include "api/sse.h"
#include "api/usage_json.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

Json OrNull(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }

class ResponsesReply : public Reply {
 public:
  ResponsesReply(ReplyContext context, const ResponsesRequest& request)
      : context_(std::move(context)), echo_(EchoOf(request)), item_id_(NewId("msg_")) {
    logprobs_wanted_ = request.call.params.logprobs;
  }

  std::string Start() override {
    return StateEvent("response.created") + StateEvent("response.in_progress");
  }

  std::string Stream(const Event& event) override {
    Collect(event);
    return std::visit([this](const auto& one) { return StreamOne(one); }, event);
  }

  std::string Fail(const Error& error) override {
    status_ = "failed";
    error_ = error;
    return StateEvent("response.failed");
  }

  void Collect(const Event& event) override {
    if (const auto* token = std::get_if<TokenEvent>(&event)) {
      text_ += token->text;
      if (logprobs_wanted_) AppendLogprob(*token, *context_.tokenizer, logprobs_);
    } else if (const auto* end = std::get_if<ChoiceEvent>(&event)) {
      text_ += end->text;
      end_ = *end;
    } else if (const auto* finished = std::get_if<FinishedEvent>(&event)) {
      finished_ = *finished;
      status_ = EndStatus();
    }
  }

  Result<std::string> Whole() const override {
    if (const auto failure = FailureOf(finished_)) return *failure;
    return JsonLine(Response());
  }

 private:
  // The fields of the response object that repeat the request.
  static Json EchoOf(const ResponsesRequest& request) {
    const SamplingParams& params = request.call.params;
    Json echo;
    echo["instructions"] = OrNull(request.instructions);
    echo["max_output_tokens"] =
        request.max_output_tokens ? Json(*request.max_output_tokens) : Json();
    echo["max_tool_calls"] = nullptr;
    echo["metadata"] = Json::parse(request.metadata);
    echo["reasoning"] = Json::parse(request.reasoning);
    echo["temperature"] = ShortestDouble(params.temperature);
    echo["top_p"] = ShortestDouble(params.top_p);
    echo["presence_penalty"] = ShortestDouble(params.presence_penalty);
    echo["frequency_penalty"] = ShortestDouble(params.frequency_penalty);
    echo["top_logprobs"] = params.top_logprobs;
    echo["text"] = Json{{"format", Json{{"type", "text"}}}};
    echo["tools"] = Json::array();
    echo["tool_choice"] = "none";
    echo["parallel_tool_calls"] = request.parallel_tool_calls;
    echo["truncation"] = "disabled";
    echo["store"] = false;
    echo["background"] = false;
    echo["service_tier"] = "default";
    echo["previous_response_id"] = nullptr;
    echo["safety_identifier"] = OrNull(request.safety_identifier);
    echo["prompt_cache_key"] = OrNull(request.prompt_cache_key);
    echo["user"] = OrNull(request.user);
    return echo;
  }

  // "completed", "incomplete" when the answer was cut, "failed".
  std::string EndStatus() const {
    if (FailureOf(finished_)) return "failed";
    return StandardFinishReason(finished_->reason) == "length" ? "incomplete" : "completed";
  }

  Json Response() const {
    Json response = {{"id", context_.id},
                     {"object", "response"},
                     {"created_at", context_.created},
                     {"completed_at", nullptr},
                     {"status", status_}};
    response["error"] = ErrorOrNull();
    response["incomplete_details"] =
        status_ == "incomplete" ? Json{{"reason", "max_output_tokens"}} : Json();
    response["model"] = context_.model;
    response["output"] = Json::array();
    response["usage"] = nullptr;
    if (finished_ && !error_) AddResult(response);
    response.update(echo_);
    return response;
  }

  // What only a finished response has.
  void AddResult(Json& response) const {
    if (status_ == "completed") {
      response["completed_at"] =
          context_.created + static_cast<int64_t>(std::ceil(finished_->times.total));
    }
    response["output"].push_back(Item(status_, Json::array({Part(text_, logprobs_)})));
    response["usage"] = ResponsesUsageJson(finished_->usage, context_.pictures);
    if (Json details = FinishDetails(end_); !details.is_null()) {
      response["finish_details"] = std::move(details);
    }
  }

  Json ErrorOrNull() const {
    if (!error_) return nullptr;
    const Json error = Json::parse(ErrorJson(*error_))["error"];
    return Json{{"code", error["code"]}, {"message", error["message"]}};
  }

  Json Item(std::string_view status, Json content) const {
    return Json{{"id", item_id_},
                {"type", "message"},
                {"status", status},
                {"role", "assistant"},
                {"content", std::move(content)}};
  }

  static Json Part(const std::string& text, Json logprobs) {
    return Json{{"type", "output_text"},
                {"text", text},
                {"annotations", Json::array()},
                {"logprobs", std::move(logprobs)}};
  }

  // An event with its number; `fields` follow.
  std::string NumberedEvent(std::string_view type, const Json& fields) {
    Json event = {{"type", type}, {"sequence_number", next_sequence_number_++}};
    event.update(fields);
    return SseEvent(type, event);
  }

  std::string StateEvent(std::string_view type) {
    return NumberedEvent(type, Json{{"response", Response()}});
  }

  // An event about the text of the only output item.
  std::string TextEvent(std::string_view type, Json fields) {
    Json place = {{"item_id", item_id_}, {"output_index", 0}, {"content_index", 0}};
    place.update(fields);
    return NumberedEvent(type, place);
  }

  std::string OpenItem() {
    if (std::exchange(opened_, true)) return "";
    Json item = {{"output_index", 0}, {"item", Item("in_progress", Json::array())}};
    return NumberedEvent("response.output_item.added", item) +
           TextEvent("response.content_part.added", {{"part", Part("", Json::array())}});
  }

  std::string Delta(const std::string& text, Json logprobs) {
    if (text.empty() && logprobs.empty()) return "";
    return TextEvent("response.output_text.delta",
                     {{"delta", text}, {"logprobs", std::move(logprobs)}});
  }

  template <typename Progress>
  std::string StreamProgress(const Progress& event) const {
    return SseComment(Json{{"ocelli_progress", ProgressJson(event)}});
  }

  std::string StreamOne(const QueuedEvent& event) { return StreamProgress(event); }
  std::string StreamOne(const EncodingEvent& event) { return StreamProgress(event); }
  std::string StreamOne(const PrefillEvent& event) { return StreamProgress(event); }

  std::string StreamOne(const TokenEvent& event) {
    Json entries = Json::array();
    if (logprobs_wanted_) AppendLogprob(event, *context_.tokenizer, entries);
    return OpenItem() + Delta(event.text, std::move(entries));
  }

  // The item of a failed response stays open: response.failed says why.
  std::string StreamOne(const ChoiceEvent& event) {
    const std::string start = OpenItem() + Delta(event.text, Json::array());
    if (event.reason == FinishReason::kError || event.reason == FinishReason::kCancelled) {
      return start;
    }
    const bool cut = StandardFinishReason(event.reason) == "length";
    const Json part = Part(text_, logprobs_);
    const Json item = {{"output_index", 0},
                       {"item", Item(cut ? "incomplete" : "completed", Json::array({part}))}};
    return start +
           TextEvent("response.output_text.done", {{"text", text_}, {"logprobs", logprobs_}}) +
           TextEvent("response.content_part.done", {{"part", part}}) +
           NumberedEvent("response.output_item.done", item);
  }

  std::string StreamOne(const FinishedEvent&) {
    if (const auto failure = FailureOf(finished_)) return Fail(*failure);
    return StateEvent("response." + status_);
  }

  ReplyContext context_;
  Json echo_;
  std::string item_id_;
  bool logprobs_wanted_ = false;
  bool opened_ = false;  // the output item was announced
  int64_t next_sequence_number_ = 0;
  std::string status_ = "in_progress";
  std::string text_;
  Json logprobs_ = Json::array();
  ChoiceEvent end_;
  std::optional<FinishedEvent> finished_;
  std::optional<Error> error_;
};

}  // namespace

std::unique_ptr<Reply> MakeResponsesReply(ReplyContext context, const ResponsesRequest& request) {
  return std::make_unique<ResponsesReply>(std::move(context), request);
}

}  // namespace ocelli::api
