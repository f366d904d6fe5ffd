#ifndef OCELLI_CHECKPOINT_SAFETENSORS_HEADER_H_
#define OCELLI_CHECKPOINT_SAFETENSORS_HEADER_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "checkpoint/safetensors.h"

namespace ocelli {

// Parses the JSON of a safetensors header and checks it against the `data_bytes` that follow it:
// see SafetensorsFile. Entries come back sorted by name, their offsets relative to the data.
// **Errors**: kCorruptData, kUnsupported, kTooLarge, with messages that do not name the file.
Result<std::vector<SafetensorsEntry>> ParseSafetensorsHeader(std::string_view json,
                                                             size_t data_bytes);

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_SAFETENSORS_HEADER_H_
