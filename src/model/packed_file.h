#ifndef OCELLI_MODEL_PACKED_FILE_H_
#define OCELLI_MODEL_PACKED_FILE_H_

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "model/weight_loader.h"
#include "model/weights.h"
#include "parallel/thread_pool.h"

namespace ocelli {

// A model's weights as they are held in memory, in one file that is mapped: a start converts
// nothing, and who reads them in place shares the pages with other processes (CopyMatrices makes a
// copy in huge pages). It is a safetensors file, so its
// structure is checked by the same code as a hub's and other tools can look inside:
//
//   <matrix>.lines, .tables, .block_begins, .escapes   PackedMatrixParts; lines on 2 MiB borders
//   <vector>                                           F32
//   pad.<n>                                            holes, so that all begin on cache lines
//   ocelli.checksums   U64 [n]   XXH3 of every tensor above but pads, in the order of the file
//   ocelli.pack        U64 [5]   magic, version, PackKey, XXH3 of header and checksums
//
// where <matrix> is the published name of its first part.

// Says which weights a file holds and in which format.
using PackKey = std::array<uint64_t, 2>;

// Returns the key of `checkpoint`'s weights held as `wanted`. It changes when a weight file is
// written to, and with the layout of packed files.
PackKey PackKeyOf(const Checkpoint& checkpoint, WeightFormat wanted);
// Returns the key as 32 hexadecimal digits.
std::string PackKeyText(const PackKey& key);

// Packs all weights of `source` into a new file `path`, one matrix at a time, and syncs it to the
// disk. **Errors**: as WeightSource::Tensor; kResourceExhausted when the disk is full; kIo. What
// was written is left for the caller to delete. **Threads**: uses `pool`.
Status WritePackedFile(WeightSource& source, WeightFormat wanted, const PackKey& key,
                       const std::filesystem::path& path, ThreadPool& pool,
                       const LoadProgress& progress = {});

// Maps the file at `path`, which holds the weights of a model of `config` under `key`, and verifies
// every byte of it. **Errors**: kNotFound; kUnsupported for a file of another version or other
// weights; kCorruptData. **Threads**: uses `pool`.
Result<ModelWeights> OpenPackedFile(const std::filesystem::path& path, const PackKey& key,
                                    const ModelConfig& config, ThreadPool& pool);

// Returns the bytes that the packed file of a model of `config` takes at most.
uint64_t PackedFileBytes(const ModelConfig& config, WeightFormat wanted);

}  // namespace ocelli

#endif  // OCELLI_MODEL_PACKED_FILE_H_
