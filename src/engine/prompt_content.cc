#include "engine/prompt_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ocelli {
namespace {

Error Invalid(std::string param, std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message), std::move(param)};
}

Status CheckTokens(const std::vector<TokenId>& ids, size_t vocab_size) {
  if (ids.empty()) return Invalid("prompt", "the prompt is empty; it needs at least one token");
  const auto bad = std::find_if(ids.begin(), ids.end(), [vocab_size](TokenId id) {
    return id < 0 || static_cast<size_t>(id) >= vocab_size;
  });
  if (bad == ids.end()) return {};
  return Invalid("prompt", fmt::format("token {} of the prompt is {}; ids go from 0 to {}",
                                       bad - ids.begin(), *bad, vocab_size - 1));
}

Status CheckPicture(const Patches& patches, size_t index, const ModelTraits& traits) {
  const size_t merge = traits.spatial_merge_size;
  if (patches.image_tokens == 0 ||
      patches.image_tokens * merge * merge != patches.grid_h * patches.grid_w) {
    return Invalid("pictures",
                   fmt::format("picture {} has {} image tokens for a grid of {} x {} "
                               "patches; prepare it for this model",
                               index, patches.image_tokens, patches.grid_h, patches.grid_w));
  }
  if (patches.image_tokens <= traits.max_image_tokens) return {};
  return Error{
      ErrorCode::kTooLarge,
      fmt::format("picture {} takes {} image tokens; the limit is {}: ask for a smaller one", index,
                  patches.image_tokens, traits.max_image_tokens),
      "pictures"};
}

// Returns the runs of image tokens, one for each picture, or an error that counts them.
Result<std::vector<PictureRun>> FindRuns(const GenerateRequest& request, TokenId image_token_id) {
  const auto& ids = request.prompt_token_ids;
  std::vector<PictureRun> runs;
  size_t at = 0;
  for (size_t i = 0; i < request.pictures.size(); ++i) {
    const size_t want = request.pictures[i]->image_tokens;
    const auto first =
        std::find(ids.begin() + static_cast<ptrdiff_t>(at), ids.end(), image_token_id);
    const auto begin = static_cast<size_t>(first - ids.begin());
    const auto last = std::find_if(first, ids.end(),
                                   [image_token_id](TokenId id) { return id != image_token_id; });
    const auto have = static_cast<size_t>(last - first);
    if (have < want) {
      return Invalid("pictures", fmt::format("picture {} needs a run of {} image tokens in the "
                                             "prompt, which has {}",
                                             i, want, have));
    }
    runs.push_back({begin, begin + want, request.pictures[i]});
    at = begin + want;
  }
  const auto extra = std::find(ids.begin() + static_cast<ptrdiff_t>(at), ids.end(), image_token_id);
  if (extra == ids.end()) return runs;
  return Invalid("pictures",
                 fmt::format("token {} of the prompt is an image token without a picture; "
                             "{} pictures came",
                             extra - ids.begin(), runs.size()));
}

std::vector<ContentUnit> MakeUnits(const std::vector<TokenId>& ids,
                                   const std::vector<PictureRun>& runs) {
  std::vector<ContentUnit> units;
  units.reserve(ids.size());
  for (const TokenId id : ids) units.push_back(ContentUnit::Token(id));
  for (const PictureRun& run : runs) {
    for (size_t i = run.begin; i < run.end; ++i) {
      units[i] = ContentUnit::Image(run.patches->key, i - run.begin);
    }
  }
  return units;
}

RopeIndex MakeRopeIndex(size_t num_tokens, const std::vector<PictureRun>& runs, size_t merge_size) {
  std::vector<PictureSpan> spans;
  for (const PictureRun& run : runs) {
    spans.push_back(
        {run.begin, run.patches->grid_h / merge_size, run.patches->grid_w / merge_size});
  }
  return RopeIndex(num_tokens, spans);
}

}  // namespace

size_t PromptContent::num_image_tokens() const {
  size_t count = 0;
  for (const PictureRun& run : runs) count += run.end - run.begin;
  return count;
}

Result<std::shared_ptr<const PromptContent>> MakePromptContent(const GenerateRequest& request,
                                                               const ModelTraits& traits) {
  OCELLI_RETURN_IF_ERROR(CheckTokens(request.prompt_token_ids, traits.vocab_size));
  for (size_t i = 0; i < request.pictures.size(); ++i) {
    if (!request.pictures[i]) return Invalid("pictures", fmt::format("picture {} is missing", i));
    OCELLI_RETURN_IF_ERROR(CheckPicture(*request.pictures[i], i, traits));
  }
  auto prompt = std::make_shared<PromptContent>();
  OCELLI_ASSIGN_OR_RETURN(prompt->runs, FindRuns(request, traits.image_token_id));
  prompt->token_ids = request.prompt_token_ids;
  prompt->units = MakeUnits(prompt->token_ids, prompt->runs);
  prompt->rope_index =
      MakeRopeIndex(prompt->token_ids.size(), prompt->runs, traits.spatial_merge_size);
  return std::shared_ptr<const PromptContent>(std::move(prompt));
}

}  // namespace ocelli
