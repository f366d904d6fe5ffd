#include "cli/ocr_batch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "api/chat_messages.h"
#include "api/generation_call.h"
#include "api/ocr_page.h"
#include "api/picture_budget.h"
#include "base/file.h"
#include "cli/interrupt.h"
#include "cli/ocr_progress.h"
#include "hub/digest.h"
#include "parallel/thread_pool.h"
#include "picture/decode.h"
#include "picture/enhance.h"
#include "picture/patches.h"

namespace ocelli::cli {
namespace {

constexpr std::chrono::milliseconds kWait{100};
constexpr int kKeyVersion = 1;  // of what a page is made of besides the options

// Carries the events of all requests to the one thread that waits for them.
class BatchEvents {
 public:
  void Push(const std::string& key, Event event) {
    {
      const std::lock_guard lock(mutex_);
      events_.emplace_back(key, std::move(event));
    }
    changed_.notify_one();
  }

  std::optional<std::pair<std::string, Event>> Pop(std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, timeout, [this] { return !events_.empty(); })) return std::nullopt;
    auto first = std::move(events_.front());
    events_.pop_front();
    return first;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<std::string, Event>> events_;
};

// Everything beside a picture's bytes that decides what is read from it.
std::string SettingsText(const OcrSettings& settings) {
  const PictureOptions& p = settings.picture;
  nlohmann::json text = {
      {"version", kKeyVersion},
      {"identity", settings.identity},
      {"question", settings.question},
      {"max_new_tokens", settings.max_new_tokens},
      {"picture", {p.min_pixels, p.max_pixels, p.max_side, p.min_side, p.max_image_tokens}}};
  if (settings.enhance) {
    const EnhanceOptions& e = *settings.enhance;
    text["enhance"] = {e.turn,    e.page,     e.deskew,  e.light,
                       e.denoise, e.contrast, e.enlarge, e.binarize};
  }
  return text.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string Outcome(const api::OcrPage& page) {
  std::string text = fmt::format("{} lines", page.lines.size());
  if (!page.warnings.empty()) text += fmt::format(" ({})", fmt::join(page.warnings, ", "));
  return text;
}

class Batch {
 public:
  Batch(const std::vector<OcrInput>& inputs, const OcrSettings& settings, const SessionFiles& files,
        Engine& engine, OcrFolder& folder)
      : inputs_(inputs),
        settings_(settings),
        files_(files),
        engine_(engine),
        folder_(folder),
        settings_text_(SettingsText(settings)),
        progress_(inputs.size()) {}

  Result<OcrCounts> Run() {
    const Status status = ReadAll();
    CancelAll();
    progress_.Clear();
    if (!status.ok()) return status.error();
    return counts_;
  }

 private:
  // A picture on its way through the engine, and all inputs that show it.
  struct Reading {
    RequestId id = 0;
    api::OcrReader reader;
    std::vector<size_t> inputs;
  };

  Status ReadAll() {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      while (readings_.size() >= settings_.parallel) OCELLI_RETURN_IF_ERROR(TakeEvent());
      OCELLI_RETURN_IF_ERROR(CheckInterrupt());
      if (const Status started = Start(i); !started.ok()) {
        OCELLI_RETURN_IF_ERROR(Fail(i, started.error()));
      }
    }
    while (!readings_.empty()) OCELLI_RETURN_IF_ERROR(TakeEvent());
    return {};
  }

  Status CheckInterrupt() const {
    if (!interrupt_.interrupted()) return {};
    return Error{ErrorCode::kCancelled, "stopped", ""};
  }

  // **Errors**: what is wrong with the picture; see also Fail.
  Status Start(size_t i) {
    const OcrInput& input = inputs_[i];
    if (!input.problem.empty()) return Error{ErrorCode::kIo, input.problem, ""};
    OCELLI_ASSIGN_OR_RETURN(const std::string file,
                            ReadFile(input.path, limits_.max_encoded_bytes));
    const std::string key = hub::Sha256Hex(settings_text_ + hub::Sha256Hex(file));
    if (const auto reading = readings_.find(key); reading != readings_.end()) {
      reading->second.inputs.push_back(i);
      return {};
    }
    if (const std::optional<api::OcrPage> page = folder_.FindPage(key)) {
      return Finish(i, key, *page, counts_.found, false);
    }
    return ReadPicture(i, key, file);
  }

  Status ReadPicture(size_t i, const std::string& key, const std::string& file) {
    OCELLI_ASSIGN_OR_RETURN(RgbImage image, DecodePicture(std::as_bytes(std::span(file)), limits_));
    OCELLI_ASSIGN_OR_RETURN(const bool blank, IsBlankPicture(image));
    if (blank) {
      const api::OcrPage page = api::BlankPage(image.size());
      OCELLI_RETURN_IF_ERROR(Stored(folder_.KeepPage(key, page)));
      return Finish(i, key, page, counts_.blank, false);
    }
    OCELLI_ASSIGN_OR_RETURN(auto patches, Prepare(std::move(image)));
    OCELLI_ASSIGN_OR_RETURN(GenerateRequest request, MakeRequest(patches));
    OCELLI_ASSIGN_OR_RETURN(
        const RequestId id,
        engine_.Submit(std::move(request), [events = events_, key](Event event) {
          events->Push(key, std::move(event));
        }));
    readings_.emplace(key, Reading{id, api::OcrReader(std::move(patches)), {i}});
    return {};
  }

  Result<std::shared_ptr<const Patches>> Prepare(RgbImage image) {
    const PictureOptions options = api::PictureBudget({}, settings_.picture);
    if (!settings_.enhance) {
      OCELLI_ASSIGN_OR_RETURN(Patches patches,
                              PreparePicture(image, files_.processor, options, pool_));
      return std::make_shared<const Patches>(std::move(patches));
    }
    OCELLI_ASSIGN_OR_RETURN(const EnhancedImage enhanced,
                            EnhancePicture(std::move(image), *settings_.enhance));
    OCELLI_ASSIGN_OR_RETURN(Patches patches,
                            PrepareEnhancedPicture(enhanced, files_.processor, options, pool_));
    return std::make_shared<const Patches>(std::move(patches));
  }

  Result<GenerateRequest> MakeRequest(const std::shared_ptr<const Patches>& patches) const {
    api::GenerationCall call;
    ChatMessage message;
    message.role = "user";
    message.content = {ContentPart::Image(), ContentPart::Text(settings_.question)};
    call.conversation.messages.push_back(std::move(message));
    call.chat_template.thinking = files_.thinking;
    call.params = api::ReadingParams(settings_.max_new_tokens);
    return api::MakeGenerateRequest(call, {patches}, *files_.tokenizer);
  }

  // Waits a little for an event and does what it asks for.
  Status TakeEvent() {
    OCELLI_RETURN_IF_ERROR(CheckInterrupt());
    const auto next = events_->Pop(kWait);
    progress_.Refresh();
    if (!next) return {};
    const auto found = readings_.find(next->first);
    found->second.reader.Collect(next->second);
    if (!found->second.reader.finished()) return {};
    const auto ended = readings_.extract(found);
    return End(ended.key(), ended.mapped());
  }

  Status End(const std::string& key, const Reading& reading) {
    const Result<api::OcrPage> page = reading.reader.Page();
    Status kept;
    if (page.ok()) kept = Stored(folder_.KeepPage(key, *page));
    for (size_t n = 0; n < reading.inputs.size(); ++n) {
      const size_t i = reading.inputs[n];
      Status done = !page.ok() ? Status(page.error()) : kept;
      if (done.ok()) done = Finish(i, key, *page, n == 0 ? counts_.read : counts_.found, n == 0);
      if (!done.ok()) OCELLI_RETURN_IF_ERROR(Fail(i, done.error()));
    }
    return {};
  }

  Status Finish(size_t i, const std::string& key, const api::OcrPage& page, size_t& count,
                bool read) {
    OCELLI_RETURN_IF_ERROR(Stored(folder_.WriteOutputs(inputs_[i], key, page)));
    ++count;
    counts_.warnings += !page.warnings.empty();
    progress_.Done(inputs_[i].name, Outcome(page), read);
    return {};
  }

  // Looks at what came of writing: a full disk would meet all pictures that follow.
  Status Stored(Status written) {
    if (!written.ok() && written.error().code == ErrorCode::kResourceExhausted) disk_ = written;
    return written;
  }

  // Notes a failure. **Errors**: what ends the batch: a signal, a full disk.
  Status Fail(size_t i, const Error& error) {
    if (error.code == ErrorCode::kCancelled) return error;
    ++counts_.failed;
    folder_.NoteFailure(inputs_[i], error.message);
    progress_.Failed(inputs_[i].name, error.message);
    return disk_;
  }

  void CancelAll() {
    for (const auto& [key, reading] : readings_) engine_.Cancel(reading.id);
  }

  const std::vector<OcrInput>& inputs_;
  const OcrSettings& settings_;
  const SessionFiles& files_;
  Engine& engine_;
  OcrFolder& folder_;
  const std::string settings_text_;
  const DecodeLimits limits_;
  const InterruptGuard interrupt_;
  ThreadPool pool_{1};  // the engine has the machine
  const std::shared_ptr<BatchEvents> events_ = std::make_shared<BatchEvents>();
  std::map<std::string, Reading> readings_;  // by key
  OcrProgress progress_;
  Status disk_;  // an error once it is full
  OcrCounts counts_;
};

}  // namespace

Result<OcrCounts> ReadBatch(const std::vector<OcrInput>& inputs, const OcrSettings& settings,
                            const SessionFiles& files, Engine& engine, OcrFolder& folder) {
  return Batch(inputs, settings, files, engine, folder).Run();
}

}  // namespace ocelli::cli
