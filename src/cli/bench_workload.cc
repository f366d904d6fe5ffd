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
                                     const SessionFiles& files)
    : workload_(workload),
      random_(seed),
      tokenizer_(files.tokenizer),
      image_token_id_(files.config.image_token_id) {}

Result<BenchConversation> BenchConversation::Make(const BenchWorkload& workload, uint64_t number,
                                                  const SessionFiles& files) {
  BenchConversation conversation(workload, workload.seed * 1'000'003 + number, files);
  const SizePx size = workload.pictures[number % workload.pictures.size()];
  if (size == SizePx{}) return conversation;
  ThreadPool pool(1);
  OCELLI_ASSIGN_OR_RETURN(Patches patches, PreparePicture(MakePicture(size, conversation.random_),
                                                          files.processor, {}, pool));
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

Result<std::vector<TokenId>> BenchConversation::Render(std::vector<ChatMessage> messages,
                                                       bool add_generation_prompt) const {
  api::GenerationCall call;
  call.conversation.messages = std::move(messages);
  call.chat_template.add_generation_prompt = add_generation_prompt;
  std::vector<std::shared_ptr<const Patches>> pictures;
  if (picture_ && token_ids_.empty()) pictures.push_back(picture_);
  OCELLI_ASSIGN_OR_RETURN(GenerateRequest request,
                          api::MakeGenerateRequest(call, std::move(pictures), *tokenizer_));
  return std::move(request.prompt_token_ids);
}

// Returns what the template writes between an answer and the next one: an empty answer and the
// question, without the opening that stands before the answer already.
Result<std::vector<TokenId>> BenchConversation::FollowUp(const ChatMessage& question) const {
  ChatMessage empty_answer;
  empty_answer.role = "assistant";
  OCELLI_ASSIGN_OR_RETURN(std::vector<TokenId> ids, Render({empty_answer, question}, true));
  OCELLI_ASSIGN_OR_RETURN(const std::vector<TokenId> open, Render({question}, true));
  OCELLI_ASSIGN_OR_RETURN(const std::vector<TokenId> closed, Render({question}, false));
  ids.erase(ids.begin(), ids.begin() + static_cast<ptrdiff_t>(open.size() - closed.size()));
  return ids;
}

Result<GenerateRequest> BenchConversation::Ask() {
  ChatMessage message;
  message.role = "user";
  const bool first = token_ids_.empty();
  if (first && picture_) message.content.push_back(ContentPart::Image());
  message.content.push_back(ContentPart::Text(Question()));
  OCELLI_ASSIGN_OR_RETURN(const std::vector<TokenId> ids,
                          first ? Render({message}, true) : FollowUp(message));
  token_ids_.insert(token_ids_.end(), ids.begin(), ids.end());
  GenerateRequest request;
  request.prompt_token_ids = token_ids_;
  if (picture_) request.pictures.push_back(picture_);
  request.params.max_new_tokens = workload_.answer_tokens;
  request.params.ignore_eos = true;
  // An image token in an answer could not stand in the next prompt.
  request.params.logit_bias = {{image_token_id_, -100.0f}};
  return request;
}

void BenchConversation::Answered(std::span<const TokenId> answer) {
  token_ids_.insert(token_ids_.end(), answer.begin(), answer.end());
}

}  // namespace ocelli::cli
