#ifndef OCELLI_BASE_PRINTABLE_H_
#define OCELLI_BASE_PRINTABLE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace ocelli {

// Returns `text` as one line that is safe to show: visible characters stay as they are, while
// control characters, line breaks, invisible format characters (they can turn the direction of
// writing) and bytes that are not UTF-8 become \xNN. Of a text of more than `max_bytes`
// the middle gives way to "...": names and causes stand at the ends of a message.
// **Threads**: any.
std::string Printable(std::string_view text, size_t max_bytes);

}  // namespace ocelli

#endif  // OCELLI_BASE_PRINTABLE_H_
