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

// Returns the code of a failed response; clients know only OpenAI's list of them.
std::string_view FailureCode(const Error& error) {
  if (ErrorResponseOf(error).status >= 500) return "server_error";
  return ErrorCodeOf(error) == "invalid_image" ? "invalid_image" : "invalid_prompt";
}

class ResponsesReply : public Reply {
 public:
  ResponsesReply(ReplyContext context, const ResponsesRequest& request)
      : context_(std::move(context)),
        echo_(EchoOf(request)),
        item_id_(NewId("msg_")),
        reasoning_id_(NewId("rs_")) {
    logprobs_wanted_ = request.call.params.logprobs;
  }

  std::string Start() override {
    EmitState("response.created");
    EmitState("response.in_progress");
    return TakeEvents();
  }

  std::string Stream(const Event& event) override {
    Collect(event);
    std::visit([this](const auto& one) { Emit(one); }, event);
    return TakeEvents();
  }

  std::string Fail(const Error& error) override {
    status_ = "failed";
    error_ = error;
    EmitState("response.failed");
    return TakeEvents();
  }

  void Collect(const Event& event) override {
    if (const auto* token = std::get_if<TokenEvent>(&event)) {
      reasoning_ += token->reasoning;
      text_ += token->text;
      if (logprobs_wanted_) AppendLogprob(*token, *context_.tokenizer, logprobs_);
    } else if (const auto* end = std::get_if<ChoiceEvent>(&event)) {
      reasoning_ += end->reasoning;
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
    if (!reasoning_.empty()) {
      const std::string_view status = HasMessage() ? "completed" : std::string_view(status_);
      response["output"].push_back(ReasoningItem(status, Json::array({ReasoningPart(reasoning_)})));
    }
    if (HasMessage()) {
      response["output"].push_back(Item(status_, Json::array({Part(text_, logprobs_)})));
    }
    response["usage"] = ResponsesUsageJson(finished_->usage, context_.pictures);
    if (Json details = FinishDetails(end_); !details.is_null()) {
      response["finish_details"] = std::move(details);
    }
  }

  Json ErrorOrNull() const {
    if (!error_) return nullptr;
    return Json{{"code", FailureCode(*error_)},
                {"message", Json::parse(ErrorJson(*error_))["error"]["message"]}};
  }

  // An answer that was cut inside its reasoning has no message.
  bool HasMessage() const { return reasoning_.empty() || !text_.empty() || !logprobs_.empty(); }

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

  Json ReasoningItem(std::string_view status, Json content) const {
    return Json{{"id", reasoning_id_},
                {"type", "reasoning"},
                {"status", status},
                {"summary", Json::array()},
                {"content", std::move(content)}};
  }

  static Json ReasoningPart(const std::string& text) {
    return Json{{"type", "reasoning_text"}, {"text", text}};
  }

  std::string TakeEvents() { return std::exchange(events_, {}); }

  // Emits an event with its number; `fields` follow.
  void EmitEvent(std::string_view type, const Json& fields) {
    Json event = {{"type", type}, {"sequence_number", next_sequence_number_++}};
    event.update(fields);
    events_ += SseEvent(type, event);
  }

  void EmitState(std::string_view type) { EmitEvent(type, Json{{"response", Response()}}); }

  // Emits an event about the content of an output item.
  void EmitContentEvent(std::string_view type, const std::string& item_id, size_t output_index,
                        const Json& fields) {
    Json place = {{"item_id", item_id}, {"output_index", output_index}, {"content_index", 0}};
    place.update(fields);
    EmitEvent(type, place);
  }

  // The place of the message among the output items.
  size_t MessageIndex() const { return reasoning_.empty() ? 0 : 1; }

  void EmitTextEvent(std::string_view type, const Json& fields) {
    EmitContentEvent(type, item_id_, MessageIndex(), fields);
  }

  void EmitReasoningEvent(std::string_view type, const Json& fields) {
    EmitContentEvent(type, reasoning_id_, 0, fields);
  }

  // Emits a piece of the reasoning; the first announces its item.
  void EmitReasoning(const std::string& text) {
    if (text.empty()) return;
    if (!std::exchange(reasoning_open_, true)) {
      EmitEvent("response.output_item.added",
                {{"output_index", 0}, {"item", ReasoningItem("in_progress", Json::array())}});
      EmitReasoningEvent("response.content_part.added", {{"part", ReasoningPart("")}});
    }
    EmitReasoningEvent("response.reasoning_text.delta", {{"delta", text}});
  }

  // Ends the item of the reasoning, if one is open.
  void CloseReasoning(std::string_view status) {
    if (!std::exchange(reasoning_open_, false)) return;
    const Json part = ReasoningPart(reasoning_);
    EmitReasoningEvent("response.reasoning_text.done", {{"text", reasoning_}});
    EmitReasoningEvent("response.content_part.done", {{"part", part}});
    EmitEvent("response.output_item.done",
              {{"output_index", 0}, {"item", ReasoningItem(status, Json::array({part}))}});
  }

  // Announces the message, once; what was reasoned before is complete.
  void OpenItem() {
    if (std::exchange(opened_, true)) return;
    CloseReasoning("completed");
    EmitEvent("response.output_item.added",
              {{"output_index", MessageIndex()}, {"item", Item("in_progress", Json::array())}});
    EmitTextEvent("response.content_part.added", {{"part", Part("", Json::array())}});
  }

  void EmitDelta(const std::string& text, Json logprobs) {
    if (text.empty() && logprobs.empty()) return;
    EmitTextEvent("response.output_text.delta",
                  {{"delta", text}, {"logprobs", std::move(logprobs)}});
  }

  template <typename Progress>
  void EmitProgress(const Progress& event) {
    events_ += SseComment(Json{{"ocelli_progress", ProgressJson(event)}});
  }

  void Emit(const QueuedEvent& event) { EmitProgress(event); }
  void Emit(const EncodingEvent& event) { EmitProgress(event); }
  void Emit(const PrefillEvent& event) { EmitProgress(event); }

  void Emit(const TokenEvent& event) {
    if (event.is_reasoning) return EmitReasoning(event.reasoning);
    Json entries = Json::array();
    if (logprobs_wanted_) AppendLogprob(event, *context_.tokenizer, entries);
    if (!HasMessage()) return;  // no text yet: it may end without any
    OpenItem();
    EmitDelta(event.text, std::move(entries));
  }

  // The item of a failed response stays open: response.failed says why.
  void Emit(const ChoiceEvent& event) {
    EmitReasoning(event.reasoning);
    if (HasMessage()) {
      OpenItem();
      EmitDelta(event.text, Json::array());
    }
    if (event.reason == FinishReason::kError || event.reason == FinishReason::kCancelled) return;
    const bool cut = StandardFinishReason(event.reason) == "length";
    const std::string_view status = cut ? "incomplete" : "completed";
    if (!HasMessage()) return CloseReasoning(status);
    const Json part = Part(text_, logprobs_);
    EmitTextEvent("response.output_text.done", {{"text", text_}, {"logprobs", logprobs_}});
    EmitTextEvent("response.content_part.done", {{"part", part}});
    EmitEvent("response.output_item.done",
              {{"output_index", MessageIndex()}, {"item", Item(status, Json::array({part}))}});
  }

  void Emit(const FinishedEvent&) {
    error_ = FailureOf(finished_);
    EmitState("response." + status_);
  }

  ReplyContext context_;
  Json echo_;
  std::string item_id_;
  std::string reasoning_id_;
  bool logprobs_wanted_ = false;
  bool opened_ = false;          // the message was announced
  bool reasoning_open_ = false;  // the reasoning was announced and has not ended
  std::string events_;           // written and not yet taken
  int64_t next_sequence_number_ = 0;
  std::string status_ = "in_progress";
  std::string reasoning_;
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
