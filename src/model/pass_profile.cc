#include "model/pass_profile.h"

#include <algorithm>

namespace ocelli {

KernelWork LinearWork(std::string_view name, size_t rows, const PackedMatrix& w) {
  const double products = static_cast<double>(rows) * static_cast<double>(w.num_inputs()) *
                          static_cast<double>(w.num_outputs());
  return {name, 2 * products, static_cast<double>(w.size_bytes())};
}

void PassProfile::Add(const KernelWork& work, double seconds) {
  auto kernel = std::find_if(kernels_.begin(), kernels_.end(),
                             [&](const KernelTime& known) { return known.work.name == work.name; });
  if (kernel == kernels_.end()) kernel = kernels_.insert(kernel, KernelTime{{work.name}, 0, 0});
  kernel->work.flops += work.flops;
  kernel->work.bytes += work.bytes;
  kernel->seconds += seconds;
  ++kernel->calls;
}

}  // namespace ocelli
