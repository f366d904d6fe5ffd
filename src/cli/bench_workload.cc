#include "cli/bench_workload.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "api/generation_call.h"
#include "base/quoted.h"
#include "parallel/thread_pool.h"

namespace ocelli::cli {
namespace {

constexpr int kMaxSidePx = 16'384;

Error NoSize(std::string_view text) {
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{} is no picture size such as 336x336 or none", Quoted(text)),
               "pictures"};
}

// Returns a picture of blocks of one colour, so that it is like no other and looks like something.
RgbImage MakePicture(SizePx size, std::mt19937_64& random) {
  constexpr int kBlockPx = 8;
  RgbImage image{size.width_px, size.height_px, {}};
  image.pixels.resize(image.row_bytes() * static_cast<size_t>(size.height_px));
  for (int y = 0; y < size.height_px; ++y) {
    uint8_t* row = image.Row(y);
    for (int x = 0; x < 3 * size.width_px; ++x) {
      const bool starts_block = y % kBlockPx == 0 && x / 3 % kBlockPx == 0;
      if (starts_block) {
        row[x] = static_cast<uint8_t>(random());
      } else {
        row[x] = y % kBlockPx == 0 ? row[x - 3] : image.Row(y - 1)[x];
      }
    }
  }
  return image;
}

}  // namespace

Result<SizePx> ParsePictureSize(std::string_view text) {
  if (text == "none") return SizePx{};
  SizePx size;
  const char* const end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, size.width_px);
  if (width.ec != std::errc() || width.ptr == end || *width.ptr != 'x') return NoSize(text);
  const auto height = std::from_chars(width.ptr + 1, end, size.height_px);
  const auto is_side = [](int side) { return side >= 1 && side <= kMaxSidePx; };
  if (height.ec != std::errc() || height.ptr != end || !is_side(size.width_px) ||
      !is_side(size.height_px)) {
    return NoSize(text);
  }
  return size;
}

BenchConversation::BenchConversation(const BenchWorkload& workload, uint64_t seed,
                                     std::shared_ptr<const Tokenizer> tokenizer)
    : workload_(workload), random_(seed), tokenizer_(std::move(tokenizer)) {}

Result<BenchConversation> BenchConversation::Make(const BenchWorkload& workload, uint64_t number,
                                                  const ProcessorOptions& processor,
                                                  std::shared_ptr<const Tokenizer> tokenizer) {
  BenchConversation conversation(workload, workload.seed * 1'000'003 + number,
                                 std::move(tokenizer));
  const SizePx size = workload.pictures[number % workload.pictures.size()];
  if (size == SizePx{}) return conversation;
  ThreadPool pool(1);
  OCELLI_ASSIGN_OR_RETURN(Patches patches, PreparePicture(MakePicture(size, conversation.random_),
                                                          processor, {}, pool));
  conversation.picture_ = std::make_shared<const Patches>(std::move(patches));
  return conversation;
}

std::string BenchConversation::Question() {
  std::string text;
  while (tokenizer_->Encode(text).size() < workload_.prompt_tokens) {
    if (!text.empty()) text += ' ';
    for (int letter = 0; letter < 4; ++letter) text += static_cast<char>('a' + random_() % 26);
  }
  return text;
}

Result<GenerateRequest> BenchConversation::Ask() {
  ChatMessage message;
  message.role = "user";
  std::vector<std::shared_ptr<const Patches>> pictures;
  if (picture_) pictures.push_back(picture_);
  if (picture_ && messages_.empty()) message.content.push_back(ContentPart::Image());
  message.content.push_back(ContentPart::Text(Question()));
  messages_.push_back(std::move(message));
  api::GenerationCall call;
  call.conversation.messages = messages_;
  call.params.max_new_tokens = workload_.answer_tokens;
  call.params.ignore_eos = true;
  return api::MakeGenerateRequest(call, std::move(pictures), *tokenizer_);
}

void BenchConversation::Answered(std::string text) {
  ChatMessage message;
  message.role = "assistant";
  message.content.push_back(ContentPart::Text(std::move(text)));
  messages_.push_back(std::move(message));
}

}  // namespace ocelli::cli
