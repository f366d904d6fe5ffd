#ifndef OCELLI_BASE_QUOTED_H_
#define OCELLI_BASE_QUOTED_H_

#include <string>
#include <string_view>

namespace ocelli {

// Returns hostile `text` in double quotes, fit for a terminal, a log and JSON: bytes that are not
// printable ASCII become \xNN, and a long text is cut.
std::string Quoted(std::string_view text);

}  // namespace ocelli

#endif  // OCELLI_BASE_QUOTED_H_
