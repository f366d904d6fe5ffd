#ifndef OCELLI_ENGINE_TEST_ENGINE_H_
#define OCELLI_ENGINE_TEST_ENGINE_H_

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine_core.h"
#include "engine/fake_model_runner.h"
#include "text/tokenizer.h"

namespace ocelli {

// Everything that the events of one request said.
struct Outcome {
  struct Choice {
    std::vector<TokenId> ids;
    std::string reasoning;
    std::string text;
    std::vector<TokenEvent> tokens;
    std::optional<ChoiceEvent> end;
  };
  std::vector<Event> events;
  std::map<size_t, Choice> choices;
  std::optional<FinishedEvent> finished;

  // Adds an event, and checks that it may come now.
  void Add(Event event);
  const std::vector<TokenId>& ids(size_t choice = 0) const { return choices.at(choice).ids; }
  const std::string& text(size_t choice = 0) const { return choices.at(choice).text; }
  FinishReason reason(size_t choice = 0) const { return choices.at(choice).end->reason; }
  template <typename T>
  std::vector<T> Of() const {
    std::vector<T> result;
    for (const Event& event : events) {
      if (const T* one = std::get_if<T>(&event)) result.push_back(*one);
    }
    return result;
  }
};

// The tokenizer of the golden checkpoints: token id i < 256 is byte i.
std::shared_ptr<const Tokenizer> ByteTokenizer();

// Options with memory for `num_blocks` KV blocks and `image_tokens` image tokens.
EngineOptions SmallOptions(size_t num_blocks = 64, size_t image_tokens = 1000);

// A request for `prompt`, a byte a token, in which each '#' stands for the next picture.
GenerateRequest MakeRequest(std::string_view prompt, size_t max_new_tokens = 20,
                            std::vector<std::shared_ptr<const Patches>> pictures = {});

// An EngineCore on a fake model, stepped by hand, with a clock that only tests move.
class TestEngine {
 public:
  explicit TestEngine(const EngineOptions& options = SmallOptions(),
                      FakeModelRunner::Shape shape = {});

  // Adds a request that must be accepted, and returns its id.
  RequestId Add(GenerateRequest request);
  // Steps until `request` has finished and returns what it said.
  const Outcome& Finish(RequestId request);
  // Steps until all requests have finished.
  void FinishAll();
  // Answers one request alone.
  const Outcome& Answer(GenerateRequest request) { return Finish(Add(std::move(request))); }
  // One step; at most a few in a row may do nothing.
  void Step();

  const Outcome& outcome(RequestId request) const { return *outcomes_.at(request); }
  bool HasFinished(RequestId request) const { return outcome(request).finished.has_value(); }
  EngineCore& core() { return *core_; }
  FakeModelRunner& model() { return *model_; }
  void Advance(std::chrono::milliseconds time) { now_ += time; }
  TimePoint now() const { return now_; }

 private:
  std::shared_ptr<const Tokenizer> tokenizer_ = ByteTokenizer();
  TimePoint now_{std::chrono::seconds(1000)};
  FakeModelRunner* model_;
  std::unique_ptr<EngineCore> core_;
  std::map<RequestId, std::shared_ptr<Outcome>> outcomes_;
  RequestId last_id_ = 0;
  size_t idle_steps_ = 0;
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_TEST_ENGINE_H_
