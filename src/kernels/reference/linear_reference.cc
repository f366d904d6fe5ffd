#include "kernels/reference/linear_reference.h"

#include <cmath>

namespace ocelli::reference {
namespace {

template <class Term>
void SumTerms(MatView<const float> x, MatView<const float> w, const float* bias, MatView<double> y,
              const Term& term) {
  for (size_t m = 0; m < x.rows(); ++m) {
    for (size_t n = 0; n < w.rows(); ++n) {
      double sum = 0;
      for (size_t k = 0; k < x.cols(); ++k) sum += term(double{x(m, k)} * double{w(n, k)});
      y(m, n) = bias == nullptr ? sum : sum + term(double{bias[n]});
    }
  }
}

}  // namespace

void Linear(MatView<const float> x, MatView<const float> w, const float* bias, MatView<double> y) {
  SumTerms(x, w, bias, y, [](double value) { return value; });
}

void LinearMagnitude(MatView<const float> x, MatView<const float> w, const float* bias,
                     MatView<double> y) {
  SumTerms(x, w, bias, y, [](double value) { return std::abs(value); });
}

}  // namespace ocelli::reference
