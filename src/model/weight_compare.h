#ifndef OCELLI_MODEL_WEIGHT_COMPARE_H_
#define OCELLI_MODEL_WEIGHT_COMPARE_H_

#include <cstdint>

#include "base/error.h"
#include "checkpoint/weight_source.h"
#include "model/weight_loader.h"
#include "model/weights.h"
#include "parallel/thread_pool.h"

namespace ocelli {

// Compares every number of `weights`, bit by bit, with the published one in `source`; returns how
// many were compared. **Errors**: kCorruptData, naming the first tensor that differs; those of
// WeightSource::Tensor. **Threads**: uses `pool`.
Result<uint64_t> CompareWeights(WeightSource& source, ModelWeights& weights, ThreadPool& pool,
                                const LoadProgress& progress = {});

}  // namespace ocelli

#endif  // OCELLI_MODEL_WEIGHT_COMPARE_H_
