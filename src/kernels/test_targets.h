#ifndef OCELLI_KERNELS_TEST_TARGETS_H_
#define OCELLI_KERNELS_TEST_TARGETS_H_

#include <string>

#include "gtest/gtest.h"
#include "kernels/targets.h"

// Test code only.
namespace ocelli::testing {

// Calls body(target) on each target that this machine can run.
template <class Body>
void OnEveryTarget(Body body) {
  for (const Target target : RunnableTargets()) {
    const ScopedTarget scope(target);
    SCOPED_TRACE(std::string(TargetName(target)));
    body(target);
  }
}

}  // namespace ocelli::testing

#endif  // OCELLI_KERNELS_TEST_TARGETS_H_
