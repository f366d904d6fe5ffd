#ifndef OCELLI_ENGINE_VISION_CACHE_H_
#define OCELLI_ENGINE_VISION_CACHE_H_

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>

#include "engine/model_runner.h"
#include "picture/picture_key.h"

namespace ocelli {

// Encoded pictures, least recently used first to go, within a budget of bytes. A picture that a
// sequence still holds (a second shared_ptr) counts and is not given up.
// **Threads**: the engine thread, which also holds and drops every picture.
class VisionCache {
 public:
  explicit VisionCache(uint64_t budget_bytes) : budget_bytes_(budget_bytes) {}

  uint64_t budget_bytes() const { return budget_bytes_; }
  uint64_t used_bytes() const { return used_bytes_; }

  // Returns the picture, or null; it becomes the most recently used.
  std::shared_ptr<const EncodedPicture> Find(const PictureKey& key);

  // Gives pictures up until `size_bytes` more fit. Returns whether they do: pictures in use stay.
  bool MakeRoom(uint64_t size_bytes);

  // Keeps a picture for which MakeRoom was true.
  void Insert(const PictureKey& key, std::shared_ptr<const EncodedPicture> picture,
              uint64_t size_bytes);

 private:
  struct Entry {
    PictureKey key;
    std::shared_ptr<const EncodedPicture> picture;
    uint64_t size_bytes = 0;
  };
  using Entries = std::list<Entry>;  // most recently used last
  Entries::iterator Drop(Entries::iterator entry);

  uint64_t budget_bytes_;
  uint64_t used_bytes_ = 0;
  Entries entries_;
  std::unordered_map<PictureKey, Entries::iterator> index_;
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_VISION_CACHE_H_
