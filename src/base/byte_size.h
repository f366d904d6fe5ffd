#ifndef OCELLI_BASE_BYTE_SIZE_H_
#define OCELLI_BASE_BYTE_SIZE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace ocelli {

// Reads a size as people write it: "4096", "512M", "1.5 GiB". K, M, G and T are powers of 1024, in
// either case, with "B" or "iB" after them or not. **Units**: bytes. **Errors**: kInvalidArgument.
Result<uint64_t> ParseByteSize(std::string_view text);

// Returns a size as people read it: "812 B", "1.5 KiB", "4.26 GiB".
std::string DescribeBytes(uint64_t size_bytes);

}  // namespace ocelli

#endif  // OCELLI_BASE_BYTE_SIZE_H_
