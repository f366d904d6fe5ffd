#ifndef OCELLI_API_PICTURE_BUDGET_H_
#define OCELLI_API_PICTURE_BUDGET_H_

#include <cstdint>

#include "api/chat_messages.h"
#include "picture/processor_options.h"

namespace ocelli::api {

// The most image tokens of a picture when nobody says otherwise: about one megapixel, where small
// print is still read and two cores need tens of seconds, not minutes. Checkpoints allow 16 times
// as much; "detail": "high" or a budget of one's own lifts this.
inline constexpr uint64_t kDefaultMaxImageTokens = 1024;
// The same for "detail": "low": 512 x 512 pixels.
inline constexpr uint64_t kLowDetailMaxImageTokens = 256;

// Returns the size options of one picture: `defaults` (of the command line or server), then what
// the reference itself asks for, which wins. Budgets that were not asked for get the values above.
PictureOptions PictureBudget(const PictureReference& picture, const PictureOptions& defaults);

}  // namespace ocelli::api

#endif  // OCELLI_API_PICTURE_BUDGET_H_
