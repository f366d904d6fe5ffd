#ifndef OCELLI_API_PERCENT_ENCODING_H_
#define OCELLI_API_PERCENT_ENCODING_H_

#include <string>
#include <string_view>

namespace ocelli::api {

// Replaces each %NN of a URL by its byte; a '%' without two hex digits stays. **Ref**: RFC 3986.
std::string PercentDecoded(std::string_view text);

}  // namespace ocelli::api

#endif  // OCELLI_API_PERCENT_ENCODING_H_
