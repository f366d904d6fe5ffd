#include "api/reply.h"

namespace ocelli::api {

PictureUse PictureUseOf(const Patches& picture) {
  return {picture.original_size, picture.used_size, picture.image_tokens, picture.enhanced};
}

std::vector<PictureUse> PictureUsesOf(const GenerateRequest& request) {
  std::vector<PictureUse> uses;
  uses.reserve(request.pictures.size());
  for (const auto& picture : request.pictures) {
    uses.push_back(PictureUseOf(*picture));
  }
  return uses;
}

}  // namespace ocelli::api
