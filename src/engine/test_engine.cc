#include "engine/test_engine.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/check.h"

namespace ocelli {

void Outcome::Add(Event event) {
  EXPECT_FALSE(finished.has_value()) << "an event after the last one";
  if (const auto* token = std::get_if<TokenEvent>(&event)) {
    Choice& choice = choices[token->choice];
    EXPECT_FALSE(choice.end.has_value()) << "a token after the end of choice " << token->choice;
    choice.ids.push_back(token->token_id);
    choice.reasoning += token->reasoning;
    choice.text += token->text;
    choice.tokens.push_back(*token);
  } else if (const auto* end = std::get_if<ChoiceEvent>(&event)) {
    Choice& choice = choices[end->choice];
    EXPECT_FALSE(choice.end.has_value()) << "choice " << end->choice << " ends twice";
    choice.reasoning += end->reasoning;
    choice.text += end->text;
    choice.end = *end;
  } else if (const auto* last = std::get_if<FinishedEvent>(&event)) {
    finished = *last;
  }
  events.push_back(std::move(event));
}

std::shared_ptr<const Tokenizer> ByteTokenizer() {
  static const std::shared_ptr<const Tokenizer> tokenizer = [] {
    auto loaded =
        Tokenizer::FromFile(OCELLI_SOURCE_DIR "/tests/golden/data/checkpoint_tied/tokenizer.json");
    OCELLI_CHECK(loaded.ok(), "{}", loaded.error().message);
    return std::make_shared<const Tokenizer>(std::move(loaded).value());
  }();
  return tokenizer;
}

EngineOptions SmallOptions(size_t num_blocks, size_t image_tokens) {
  EngineOptions options;
  options.max_draft_tokens = 0;
  options.kv_memory_bytes = num_blocks * FakeModelRunner::kBlockBytes;
  options.vision_cache_bytes = image_tokens * FakeModelRunner::kImageTokenBytes;
  options.step_seconds = 0;
  options.shared_step_seconds = 0;
  return options;
}

GenerateRequest MakeRequest(std::string_view prompt, size_t max_new_tokens,
                            std::vector<std::shared_ptr<const Patches>> pictures) {
  GenerateRequest request;
  size_t picture = 0;
  for (const char c : prompt) {
    const size_t count = c == '#' ? pictures.at(picture++)->image_tokens : 1;
    const TokenId id = c == '#' ? FakeModelRunner::kImageToken : static_cast<unsigned char>(c);
    request.prompt_token_ids.insert(request.prompt_token_ids.end(), count, id);
  }
  request.pictures = std::move(pictures);
  request.params.max_new_tokens = max_new_tokens;
  return request;
}

TestEngine::TestEngine(const EngineOptions& options, FakeModelRunner::Shape shape) {
  auto model = std::make_unique<FakeModelRunner>(std::move(shape));
  model_ = model.get();
  core_ =
      std::make_unique<EngineCore>(options, std::move(model), *tokenizer_, [this] { return now_; });
}

RequestId TestEngine::Add(GenerateRequest request) {
  auto accepted = core_->Check(std::move(request));
  OCELLI_CHECK(accepted.ok(), "{}", accepted.error().message);
  auto outcome = std::make_shared<Outcome>();
  accepted->id = ++last_id_;
  accepted->sink = [outcome](Event event) { outcome->Add(std::move(event)); };
  accepted->submitted = now_;
  outcomes_.emplace(last_id_, std::move(outcome));
  core_->Add(std::move(accepted).value());
  return last_id_;
}

void TestEngine::Step() {
  idle_steps_ = core_->Step() || core_->idle() ? 0 : idle_steps_ + 1;
  OCELLI_CHECK(idle_steps_ < 4, "the engine does nothing while requests wait");
}

const Outcome& TestEngine::Finish(RequestId request) {
  while (!HasFinished(request)) Step();
  return outcome(request);
}

void TestEngine::FinishAll() {
  while (!core_->idle()) Step();
}

}  // namespace ocelli
