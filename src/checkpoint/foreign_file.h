#ifndef OCELLI_CHECKPOINT_FOREIGN_FILE_H_
#define OCELLI_CHECKPOINT_FOREIGN_FILE_H_

#include <cstddef>
#include <span>
#include <string>

namespace ocelli {

// Returns what the bytes of a whole file are when they are plainly not what was asked for, and what
// helps, as the end of a sentence that the file's name begins: "is a Git LFS pointer, not the file
// itself: run `git lfs pull`". Returns "" when nothing known is recognised.
std::string RecogniseForeignFile(std::span<const std::byte> bytes);

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_FOREIGN_FILE_H_
