#include "cli/model_location.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

namespace ocelli::cli {
namespace {

namespace fs = std::filesystem;

// Where the embedded model stands, seen from the folder of the program.
constexpr std::array<const char*, 2> kEmbedded = {
    "../../models/embedded",            // build/release/ocelli
    "../share/ocelli/models/embedded",  // /usr/bin/ocelli
};

fs::path ProgramDirectory() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

}  // namespace

Result<fs::path> LocateModel(const std::string& wanted) {
  if (!wanted.empty()) return fs::path(wanted);
  if (const char* named = std::getenv("OCELLI_MODEL"); named != nullptr && *named != '\0') {
    return fs::path(named);
  }
  const fs::path program = ProgramDirectory();
  for (const char* candidate : kEmbedded) {
    std::error_code ignored;
    const fs::path directory = (program / candidate).lexically_normal();
    if (fs::is_directory(directory, ignored)) return directory;
  }
  return Error{
      ErrorCode::kNotFound,
      fmt::format(
          "no model: give --model DIR or set OCELLI_MODEL (the embedded model is neither at "
          "{} nor at {} beside {})",
          kEmbedded[0], kEmbedded[1], program.string()),
      "model"};
}

}  // namespace ocelli::cli
