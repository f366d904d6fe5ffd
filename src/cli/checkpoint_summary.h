#ifndef OCELLI_CLI_CHECKPOINT_SUMMARY_H_
#define OCELLI_CLI_CHECKPOINT_SUMMARY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/parameter_counts.h"
#include "kernels/packed_matrix.h"

namespace ocelli::cli {

// What a checkpoint is and what it needs: the answer of `ocelli inspect`.
struct CheckpointSummary {
  struct File {
    std::string name;
    size_t size_bytes = 0;
    size_t num_tensors = 0;
  };

  ModelConfig config;
  ParameterCounts parameters;
  std::map<std::string, uint64_t> parameters_by_dtype;  // "BF16" -> numbers of the model
  std::vector<File> files;
  size_t num_extra_tensors = 0;  // in the files but no part of the model
  uint64_t weight_bytes = 0;     // at most: f16 and f32 weights that are exactly bf16 take half
  uint64_t kv_bytes_per_token = 0;
  ChatTemplateTraits chat_template;
  size_t min_image_tokens = 0;  // per picture
  size_t max_image_tokens = 0;
  size_t token_side_px = 0;  // one token is a square of this side
};

// Summarises a checkpoint whose matrices will be held as `format` where they can; reads headers
// only.
// **Errors**: as Checkpoint::CheckComplete.
Result<CheckpointSummary> Summarize(const Checkpoint& checkpoint, WeightFormat format);

// Returns what the model is in a few words: "Qwen3-VL, dense, 2.13 billion parameters, tied
// embeddings".
std::string DescribeModel(const CheckpointSummary& summary);

// Returns the lines that `ocelli inspect` prints, aligned, without line ends.
std::vector<std::string> SummaryLines(const CheckpointSummary& summary);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_CHECKPOINT_SUMMARY_H_
