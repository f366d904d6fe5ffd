#ifndef OCELLI_PICTURE_TEST_SUPPORT_H_
#define OCELLI_PICTURE_TEST_SUPPORT_H_

// What the tests of this room share: golden files, fixtures, and this process's memory.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "picture/decode.h"

namespace ocelli::picture_test {

inline std::filesystem::path GoldenPath(std::string_view relative) {
  return std::filesystem::path(OCELLI_SOURCE_DIR) / "tests/golden/data" / relative;
}

inline std::string ReadGolden(std::string_view relative) {
  return ReadFile(GoldenPath(relative), size_t{1} << 30).value();
}

inline nlohmann::json ReadGoldenJson(std::string_view relative) {
  return nlohmann::json::parse(ReadGolden(relative));
}

inline std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline Result<RgbImage> Decode(std::string_view file, const DecodeLimits& limits = {}) {
  return DecodePicture(AsBytes(file), limits);
}

inline std::vector<uint8_t> FromHex(std::string_view hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(
        static_cast<uint8_t>(std::strtoul(std::string(hex.substr(i, 2)).c_str(), nullptr, 16)));
  }
  return bytes;
}

// A file of tests/golden/data/pictures and what is seen in it.
struct Fixture {
  std::string name;
  std::string kind;
  std::string file;
  SizePx size;
  int orientation;
  int frames;
  bool alpha;
  int tolerance;
  std::vector<uint8_t> pixels;
};

inline std::vector<Fixture> LoadFixtures() {
  std::vector<Fixture> fixtures;
  for (const auto& entry : ReadGoldenJson("pictures/expected.json")) {
    const std::string name = entry["file"];
    fixtures.push_back(Fixture{name, entry["kind"], ReadGolden("pictures/" + name),
                               SizePx{entry["width"], entry["height"]}, entry["orientation"],
                               entry["frames"], entry["alpha"], entry["tolerance"],
                               FromHex(entry["pixels"].get<std::string>())});
  }
  return fixtures;
}

inline Fixture LoadFixture(std::string_view name) {
  for (Fixture& fixture : LoadFixtures()) {
    if (fixture.name == name) return std::move(fixture);
  }
  ADD_FAILURE() << "no fixture " << name;
  return {};
}

// Value of a "Name:  123 kB" line of /proc/self/status. **Units**: bytes.
inline size_t StatusBytes(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name))
      return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10) << 10;
  }
  return 0;
}

// Watches by how much this process's peak memory rises above what it had.
class PeakMemory {
 public:
  PeakMemory() {
    std::ofstream("/proc/self/clear_refs") << "5";  // the peak starts again from now
    start_bytes_ = StatusBytes("VmHWM");
  }
  size_t RiseBytes() const {
    const size_t now_bytes = StatusBytes("VmHWM");
    return now_bytes > start_bytes_ ? now_bytes - start_bytes_ : 0;  // the kernel's counts waver
  }

 private:
  size_t start_bytes_;
};

}  // namespace ocelli::picture_test

#endif  // OCELLI_PICTURE_TEST_SUPPORT_H_
