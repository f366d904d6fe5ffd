#ifndef OCELLI_MODEL_TEST_DECODER_TWIN_H_
#define OCELLI_MODEL_TEST_DECODER_TWIN_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/mrope.h"
#include "model/test_weights.h"
#include "model/vision_features.h"

namespace ocelli {

// A picture in a prompt of the twin.
struct TwinPicture {
  PictureSpan span;
  const VisionFeatures* features = nullptr;
};

// The text decoder once more, naive and in double precision, straight from the published formulas:
// the whole prompt at once, no cache, no packing. **Shapes**: returns logits [tokens][vocab_size].
std::vector<std::vector<double>> TwinLogits(TestWeights& weights,
                                            std::span<const int32_t> token_ids,
                                            std::span<const TwinPicture> pictures);

}  // namespace ocelli

#endif  // OCELLI_MODEL_TEST_DECODER_TWIN_H_
