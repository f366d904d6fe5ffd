#ifndef OCELLI_BASE_TEST_DIRECTORY_H_
#define OCELLI_BASE_TEST_DIRECTORY_H_

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

// Test code only.
namespace ocelli::testing {

// A fresh directory that lives as long as the test; in memory where that is possible, because some
// tests write thousands of files.
class TestDirectory {
 public:
  TestDirectory() {
    std::string pattern = Root() / "ocelli_test_XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~TestDirectory() { std::filesystem::remove_all(path_); }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Writes a file, and the directories that `name` leads through. Returns its path.
  std::filesystem::path Write(std::string_view name, std::string_view content) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary).write(content.data(), std::ssize(content));
    return file;
  }

 private:
  static std::filesystem::path Root() {
    const std::filesystem::path memory = "/dev/shm";
    return access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
  }

  std::filesystem::path path_;
};

}  // namespace ocelli::testing

#endif  // OCELLI_BASE_TEST_DIRECTORY_H_
