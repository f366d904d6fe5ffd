#include "api/predict_task.h"

#include <nlohmann/json.hpp>
#include <variant>

#include "api/error_table.h"
#include "api/finish_reason.h"
#include "api/progress_json.h"
#include "api/sse.h"
#include "api/usage_json.h"

namespace ocelli::api {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct ProgressWriter {
  template <typename OneEvent>
  OrderedJson operator()(const OneEvent& event) const {
    if constexpr (requires { ProgressJson(event); }) return ProgressJson(event);
    return nullptr;
  }
};

}  // namespace

void PredictTask::Collect(const Event& event) {
  if (const auto* token = std::get_if<TokenEvent>(&event)) {
    ++num_tokens_;
    reasoning_ += token->reasoning;
    text_ += token->text;
  } else if (const auto* end = std::get_if<ChoiceEvent>(&event)) {
    reasoning_ += end->reasoning;
    text_ += end->text;
    end_ = *end;
  } else if (const auto* finished = std::get_if<FinishedEvent>(&event)) {
    finished_ = *finished;
    error_ = FailureOf(finished_);
  } else {
    last_progress_ = event;
  }
}

void PredictTask::Fail(const Error& error) { error_ = error; }

std::string_view PredictTask::Status() const {
  if (error_) return error_->code == ErrorCode::kCancelled ? "cancelled" : "failed";
  if (finished_) return "done";
  if (num_tokens_ > 0) return "running";
  if (!last_progress_) return "loading";
  return std::holds_alternative<QueuedEvent>(*last_progress_) ? "queued" : "running";
}

OrderedJson PredictTask::Progress() const {
  if (finished()) return nullptr;
  if (num_tokens_ > 0) return OrderedJson{{"phase", "answer"}, {"tokens", num_tokens_}};
  if (!last_progress_) return nullptr;
  return std::visit(ProgressWriter(), *last_progress_);
}

OrderedJson PredictTask::ResultOrNull() const {
  if (!finished_ || error_) return nullptr;
  OrderedJson result = {{"text", text_},
                        {"finish_reason", StandardFinishReason(end_.reason)},
                        {"finish_details", FinishDetails(end_)},
                        {"usage", ChatUsageJson(finished_->usage, context_.pictures)},
                        {"times_s", TimesJson(finished_->times)}};
  if (!reasoning_.empty()) result["reasoning_content"] = reasoning_;
  return result;
}

OrderedJson PredictTask::ErrorOrNull() const {
  if (!error_) return nullptr;
  return OrderedJson::parse(ErrorJson(*error_))["error"];
}

std::string PredictTask::Json() const {
  OrderedJson task = {{"task_id", context_.id},  {"object", "predict.task"},
                      {"status", Status()},      {"created_at", context_.created},
                      {"model", context_.model}, {"progress", Progress()},
                      {"text", text_},           {"result", ResultOrNull()},
                      {"error", ErrorOrNull()}};
  task["expires_at"] = expires_at_ ? OrderedJson(*expires_at_) : OrderedJson();
  return JsonLine(task);
}

}  // namespace ocelli::api
