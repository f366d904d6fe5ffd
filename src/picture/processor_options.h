#ifndef OCELLI_PICTURE_PROCESSOR_OPTIONS_H_
#define OCELLI_PICTURE_PROCESSOR_OPTIONS_H_

#include <array>
#include <cstdint>

#include "base/error.h"
#include "checkpoint/preprocessor_config.h"

namespace ocelli {

// How a checkpoint wants its pictures. **Ref**: preprocessor_config.json,
// Qwen2VLImageProcessorFast.
struct ProcessorOptions {
  int patch_size = 16;                  // pixels along one side of a patch
  int merge_size = 2;                   // patches along one side of an image token
  uint64_t min_pixels = 65'536;         // size.shortest_edge: a count of pixels despite its name
  uint64_t max_pixels = 16'777'216;     // size.longest_edge: likewise
  double rescale_factor = 1.0 / 255.0;  // pixel value to [0, 1]
  std::array<double, 3> image_mean = {0.5, 0.5, 0.5};
  std::array<double, 3> image_std = {0.5, 0.5, 0.5};

  // Pixels along one side of an image token: sizes are multiples of this.
  int factor() const { return patch_size * merge_size; }
};

// Returns what the preprocessor_config.json of a checkpoint asks for.
ProcessorOptions ProcessorOptionsOf(const PreprocessorConfig& config);

// What a user asks for one picture. 0 means: not asked.
struct PictureOptions {
  uint64_t min_pixels = 0;        // in place of the checkpoint's
  uint64_t max_pixels = 0;        // lowers the checkpoint's
  int max_side = 0;               // longer side at most this many pixels
  int min_side = 0;               // shorter side at least this many pixels
  uint64_t max_image_tokens = 0;  // never more image tokens than this
};

// Checks values that no picture could satisfy. **Errors**: kInvalidArgument; param names the field
// as in preprocessor_config.json.
Status CheckProcessorOptions(const ProcessorOptions& processor);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_PROCESSOR_OPTIONS_H_
