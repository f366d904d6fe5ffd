#ifndef OCELLI_CHECKPOINT_HOSTILE_TEXT_H_
#define OCELLI_CHECKPOINT_HOSTILE_TEXT_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ocelli {

// Returns `text` in double quotes, fit for a terminal and a log: bytes that are not printable ASCII
// become \xNN, and a long text is cut.
std::string Quoted(std::string_view text);

// Returns what the bytes of a whole file are when they are plainly not what was asked for, and what
// helps, as the end of a sentence that the file's name begins: "is a Git LFS pointer, not the file
// itself: run `git lfs pull`". Returns "" when nothing known is recognised.
std::string RecogniseForeignFile(std::span<const std::byte> bytes);

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_HOSTILE_TEXT_H_
