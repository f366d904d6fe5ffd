#include "engine/vision_cache.h"

#include <utility>

#include "base/check.h"

namespace ocelli {

std::shared_ptr<const EncodedPicture> VisionCache::Find(const PictureKey& key) {
  const auto found = index_.find(key);
  if (found == index_.end()) return nullptr;
  entries_.splice(entries_.end(), entries_, found->second);
  return found->second->picture;
}

bool VisionCache::MakeRoom(uint64_t size_bytes) {
  if (size_bytes > budget_bytes_) return false;
  for (auto entry = entries_.begin();
       entry != entries_.end() && used_bytes_ > budget_bytes_ - size_bytes;) {
    const bool in_use = entry->picture.use_count() > 1;
    entry = in_use ? std::next(entry) : Drop(entry);
  }
  return used_bytes_ <= budget_bytes_ - size_bytes;
}

void VisionCache::Insert(const PictureKey& key, std::shared_ptr<const EncodedPicture> picture,
                         uint64_t size_bytes) {
  OCELLI_CHECK(!index_.contains(key), "a picture is encoded twice");
  OCELLI_CHECK(used_bytes_ + size_bytes <= budget_bytes_, "{} + {} bytes of {}", used_bytes_,
               size_bytes, budget_bytes_);
  entries_.push_back({key, std::move(picture), size_bytes});
  index_.emplace(key, std::prev(entries_.end()));
  used_bytes_ += size_bytes;
}

VisionCache::Entries::iterator VisionCache::Drop(Entries::iterator entry) {
  used_bytes_ -= entry->size_bytes;
  index_.erase(entry->key);
  return entries_.erase(entry);
}

}  // namespace ocelli
