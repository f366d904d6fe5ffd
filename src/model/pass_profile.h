#ifndef OCELLI_MODEL_PASS_PROFILE_H_
#define OCELLI_MODEL_PASS_PROFILE_H_

#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

#include "kernels/packed_matrix.h"

namespace ocelli {

// What a kernel is called for. **Units**: floating-point operations, two for a multiply-add; bytes
// that must come from memory: weights, cached keys and values.
struct KernelWork {
  std::string_view name;  // a literal
  double flops = 0;
  double bytes = 0;
};

// Returns the work of rows [rows, K] times `w`.
KernelWork LinearWork(std::string_view name, size_t rows, const PackedMatrix& w);

// All calls of one kernel together. **Units**: seconds of all calls, by the wall clock.
struct KernelTime {
  KernelWork work;
  size_t calls = 0;
  double seconds = 0;
};

// Where the time of a model's passes goes, kernel by kernel. **Threads**: the one that runs the
// passes; it must outlive them.
class PassProfile {
 public:
  // **Units**: seconds of one call.
  void Add(const KernelWork& work, double seconds);
  void Clear() { kernels_.clear(); }
  // In the order in which they first ran.
  const std::vector<KernelTime>& kernels() const { return kernels_; }

 private:
  std::vector<KernelTime> kernels_;
};

// Runs `body` and adds what it took, for what `work()` returns, to `profile`, unless that is null.
template <class Work, class Body>
void TimedWork(PassProfile* profile, const Work& work, const Body& body) {
  if (profile == nullptr) return body();
  const auto start = std::chrono::steady_clock::now();
  body();
  profile->Add(work(),
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}
// The same for a kernel of which only the time counts.
template <class Body>
void Timed(PassProfile* profile, const char* name, const Body& body) {
  TimedWork(
      profile, [name] { return KernelWork{name}; }, body);
}

}  // namespace ocelli

#endif  // OCELLI_MODEL_PASS_PROFILE_H_
