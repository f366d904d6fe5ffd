#include "api/chat_reply.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "api/error_table.h"
#include "api/finish_reason.h"
#include "api/logprob_json.h"
#include "api/progress_json.h"
#include "api/sse.h"
#include "api/usage_json.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

class ChatReply : public Reply {
 public:
  ChatReply(ReplyContext context, const ChatRequest& request)
      : context_(std::move(context)),
        logprobs_(request.call.params.logprobs),
        include_usage_(request.include_usage),
        include_progress_(request.include_progress),
        choices_(request.call.params.n) {}

  std::string Start() override {
    std::string events;
    for (size_t i = 0; i < choices_.size(); ++i) {
      events += Chunk(i, {{"role", "assistant"}, {"content", ""}, {"refusal", nullptr}});
    }
    return events;
  }

  std::string Stream(const Event& event) override {
    return std::visit([this](const auto& one) { return StreamOne(one); }, event);
  }

  std::string Fail(const Error& error) override { return "data: " + ErrorJson(error) + "\n\n"; }

  void Collect(const Event& event) override {
    if (const auto* token = std::get_if<TokenEvent>(&event)) {
      Choice& choice = choices_[token->choice];
      choice.reasoning += token->reasoning;
      choice.text += token->text;
      if (logprobs_) AppendLogprob(*token, *context_.tokenizer, choice.logprobs);
    } else if (const auto* end = std::get_if<ChoiceEvent>(&event)) {
      Choice& choice = choices_[end->choice];
      choice.reasoning += end->reasoning;
      choice.text += end->text;
      choice.end = *end;
    } else if (const auto* finished = std::get_if<FinishedEvent>(&event)) {
      finished_ = *finished;
    }
  }

  Result<std::string> Whole() const override {
    if (const auto failure = FailureOf(finished_)) return *failure;
    Json body = Base("chat.completion");
    for (size_t i = 0; i < choices_.size(); ++i) body["choices"].push_back(WholeChoice(i));
    body["usage"] = ChatUsageJson(finished_->usage, context_.pictures);
    return JsonLine(body);
  }

 private:
  // One answer as far as it is known.
  struct Choice {
    std::string reasoning;
    std::string text;
    Json logprobs = Json::array();
    ChoiceEvent end;
  };

  Json Base(std::string_view object) const {
    Json base = {{"id", context_.id},
                 {"object", object},
                 {"created", context_.created},
                 {"model", context_.model}};
    if (!context_.system_fingerprint.empty()) {
      base["system_fingerprint"] = context_.system_fingerprint;
    }
    base["choices"] = Json::array();
    return base;
  }

  Json ChunkBase() const {
    Json base = Base("chat.completion.chunk");
    if (include_usage_) base["usage"] = nullptr;
    return base;
  }

  // A chunk of one choice; `end` is set in its last.
  std::string Chunk(size_t index, Json delta, Json logprobs = nullptr,
                    const ChoiceEvent* end = nullptr) const {
    Json choice = {{"index", index}, {"delta", std::move(delta)}};
    choice["logprobs"] = std::move(logprobs);
    choice["finish_reason"] = end == nullptr ? Json() : Json(StandardFinishReason(end->reason));
    if (end != nullptr) AddDetails(*end, choice);
    Json chunk = ChunkBase();
    chunk["choices"].push_back(std::move(choice));
    return SseData(chunk);
  }

  static void AddDetails(const ChoiceEvent& end, Json& choice) {
    if (Json details = FinishDetails(end); !details.is_null()) {
      choice["finish_details"] = std::move(details);
    }
  }

  Json WholeChoice(size_t index) const {
    const Choice& choice = choices_[index];
    Json body = {{"index", index},
                 {"message",
                  {{"role", "assistant"},
                   {"content", choice.text},
                   {"refusal", nullptr},
                   {"annotations", Json::array()}}}};
    if (!choice.reasoning.empty()) body["message"]["reasoning_content"] = choice.reasoning;
    body["logprobs"] = LogprobsJson(choice.logprobs);
    body["finish_reason"] = StandardFinishReason(choice.end.reason);
    AddDetails(choice.end, body);
    return body;
  }

  Json LogprobsJson(Json entries) const {
    if (!logprobs_) return nullptr;
    return Json{{"content", std::move(entries)}, {"refusal", nullptr}};
  }

  // A chunk of the reasoning that `event` brings; "" when it brings none.
  template <typename OneEvent>
  std::string ReasoningChunk(const OneEvent& event) const {
    if (event.reasoning.empty()) return "";
    return Chunk(event.choice, {{"reasoning_content", event.reasoning}});
  }

  template <typename Progress>
  std::string StreamProgress(const Progress& event) const {
    if (!include_progress_) return SseComment(Json{{"ocelli_progress", ProgressJson(event)}});
    Json chunk = ChunkBase();
    chunk["ocelli_progress"] = ProgressJson(event);
    return SseData(chunk);
  }

  std::string StreamOne(const QueuedEvent& event) const { return StreamProgress(event); }
  std::string StreamOne(const EncodingEvent& event) const { return StreamProgress(event); }
  std::string StreamOne(const PrefillEvent& event) const { return StreamProgress(event); }

  std::string StreamOne(const TokenEvent& event) const {
    Json entries = Json::array();
    if (logprobs_) AppendLogprob(event, *context_.tokenizer, entries);
    std::string events = ReasoningChunk(event);
    if (event.text.empty() && entries.empty()) return events;
    return events +
           Chunk(event.choice, {{"content", event.text}}, LogprobsJson(std::move(entries)));
  }

  // A failed or cancelled choice has no end of its own: the error event says it.
  std::string StreamOne(const ChoiceEvent& event) const {
    std::string events = ReasoningChunk(event);
    if (!event.text.empty()) events += Chunk(event.choice, {{"content", event.text}});
    const bool failed =
        event.reason == FinishReason::kError || event.reason == FinishReason::kCancelled;
    return failed ? events : events + Chunk(event.choice, Json::object(), nullptr, &event);
  }

  std::string StreamOne(const FinishedEvent& event) {
    if (const auto failure = FailureOf(event)) return Fail(*failure);
    std::string events;
    if (include_usage_) {
      Json chunk = ChunkBase();
      chunk["usage"] = ChatUsageJson(event.usage, context_.pictures);
      events = SseData(chunk);
    }
    return events.append(kSseDone);
  }

  ReplyContext context_;
  bool logprobs_;
  bool include_usage_;
  bool include_progress_;
  std::vector<Choice> choices_;  // [n]
  std::optional<FinishedEvent> finished_;
};

}  // namespace

std::unique_ptr<Reply> MakeChatReply(ReplyContext context, const ChatRequest& request) {
  return std::make_unique<ChatReply>(std::move(context), request);
}

}  // namespace ocelli::api
