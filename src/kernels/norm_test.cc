#include "kernels/norm.h"

#include <cmath>

#include "gtest/gtest.h"
#include "kernels/reference/elementwise_reference.h"

namespace ocelli {
namespace {


}  // namespace
}  // namespace ocelli
