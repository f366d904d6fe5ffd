#ifndef OCELLI_CHECKPOINT_CHECKPOINT_SUMMARY_H_
#define OCELLI_CHECKPOINT_CHECKPOINT_SUMMARY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"

namespace ocelli {

// What a checkpoint is and what it needs: the answer of `ocelli inspect`.
struct CheckpointSummary {
  struct File {
    std::string name;
    size_t size_bytes = 0;
    size_t num_tensors = 0;
  };

  std::string model;  // "Qwen3-VL 2B, dense, tied embeddings"
  uint64_t vision_parameters = 0;
  uint64_t text_parameters = 0;                         // decoder layers and the final norm
  uint64_t embedding_parameters = 0;                    // token embedding and, untied, lm_head
  std::map<std::string, uint64_t> parameters_by_dtype;  // "BF16" -> numbers that the model uses
  std::vector<File> files;
  size_t num_extra_tensors = 0;        // in the files but not part of the model
  uint64_t weight_bytes = 0;           // once loaded: bf16 stays bf16, other formats become float32
  uint64_t kv_bytes_per_token = 0;     // float32 keys and values of all layers
  size_t max_position_embeddings = 0;  // tokens of context
  size_t min_image_tokens = 0;
  size_t max_image_tokens = 0;
  size_t token_side_px = 0;
};

// Summarises a checkpoint that CheckComplete() has passed; reads headers only.
CheckpointSummary Summarize(const Checkpoint& checkpoint);

// Returns the lines that `ocelli inspect` prints, aligned, without line ends.
std::vector<std::string> SummaryLines(const CheckpointSummary& summary);

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_CHECKPOINT_SUMMARY_H_
