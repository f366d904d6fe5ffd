#include "kernels/attention.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/reference/attention_reference.h"

namespace ocelli {
namespace {

TEST(Attention, CausalAgreesWithTheTwin) {
  const AttentionShape shape{4, 2, 72};
  ThreadPool pool(2);
  std::mt19937 rng(1);
  std::normal_distribution<float> normal;
  const size_t n = 70;
  Mat<float> q(n, 4 * 72), k(n, 2 * 72), v(n, 2 * 72), out(n, 4 * 72);
  Mat<double> expected(n, 4 * 72);
  for (Mat<float>* m : {&q, &k, &v}) {
    for (size_t i = 0; i < n * m->cols(); ++i) m->data()[i] = normal(rng);
  }
  std::vector<std::vector<float>> blocks(
      3, std::vector<float>(KvBlockFloats(shape), std::numeric_limits<float>::quiet_NaN()));
  std::vector<const float*> pointers;
  for (auto& block : blocks) pointers.push_back(block.data());
  for (size_t t = 0; t < n; ++t) {
    StoreKv(shape, k.view().Row(t), v.view().Row(t), blocks[t / 32].data(), t % 32);
  }
  AttentionScratch scratch(shape, n, 2);
  const CausalSegment segment{q.view(), out.view(), pointers, 0};
  CausalAttention(shape, {&segment, 1}, scratch, pool);
  reference::CausalAttention(4, 2, 72, 0, q.view(), k.view(), v.view(), expected.view());
  for (size_t r = 0; r < n; ++r) {
    for (size_t c = 0; c < 4 * 72; ++c) ASSERT_NEAR(out.view()(r, c), expected.view()(r, c), 1e-6);
  }
}

}  // namespace
}  // namespace ocelli
