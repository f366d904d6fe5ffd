#include "base/huge_pages.h"

#include <fmt/format.h>

#include <fstream>

#include "base/byte_size.h"

namespace ocelli {
namespace {

namespace fs = std::filesystem;

// Returns the word in brackets of "always [madvise] never".
std::string SystemMode(const fs::path& root) {
  std::ifstream file(root / "sys/kernel/mm/transparent_hugepage/enabled");
  for (std::string word; file >> word;) {
    if (word.size() > 2 && word.front() == '[' && word.back() == ']') {
      return word.substr(1, word.size() - 2);
    }
  }
  return "";
}

}  // namespace

std::string HugePageReport::Describe() const {
  return fmt::format("{} of {} obtained (system: {})", DescribeBytes(huge_bytes),
                     DescribeBytes(anonymous_bytes),
                     system_mode.empty() ? "does not have them" : system_mode);
}

HugePageReport ReadHugePages(const fs::path& root) {
  HugePageReport report;
  report.system_mode = SystemMode(root);
  std::ifstream rollup(root / "proc/self/smaps_rollup");
  for (std::string word; rollup >> word;) {
    uint64_t kib = 0;
    if (word == "Anonymous:" && rollup >> kib) report.anonymous_bytes = kib * 1024;
    if (word == "AnonHugePages:" && rollup >> kib) report.huge_bytes = kib * 1024;
  }
  return report;
}

}  // namespace ocelli
