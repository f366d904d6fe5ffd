#include "api/reply.h"

namespace ocelli::api {

std::vector<PictureUse> PictureUsesOf(const GenerateRequest& request) {
  std::vector<PictureUse> uses;
  uses.reserve(request.pictures.size());
  for (const auto& picture : request.pictures) {
    uses.push_back({picture->original_size, picture->used_size, picture->image_tokens});
  }
  return uses;
}

}  // namespace ocelli::api
