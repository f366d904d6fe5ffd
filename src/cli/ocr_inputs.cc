#include "cli/ocr_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <set>
#include <string_view>
#include <utility>

namespace ocelli::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostInputs = 10'000'000;
constexpr std::string_view kEndings[] = {".png", ".jpg", ".jpeg", ".jfif", ".webp", ".gif", ".bmp",
                                         ".dib", ".tif", ".tiff", ".heic", ".heif", ".avif"};

bool LooksLikePicture(const fs::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(kEndings, ending) != std::end(kEndings);
}

fs::path Absolute(const fs::path& path) {
  std::error_code ignored;
  const fs::path absolute = fs::absolute(path, ignored).lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

class InputList {
 public:
  Status Add(const std::string& argument) {
    std::error_code error;
    const fs::path path = Absolute(argument);
    if (fs::is_directory(path, error)) return AddFolder(path);
    return AddOne({path, path.filename().string(), ""});
  }

  std::vector<OcrInput> Take() { return std::move(inputs_); }

 private:
  Status AddOne(OcrInput input) {
    if (!seen_.insert(input.path.native()).second) return {};
    inputs_.push_back(std::move(input));
    if (inputs_.size() <= kMostInputs) return {};
    return Error{
        ErrorCode::kTooLarge,
        fmt::format("there are more than {} pictures; read them in several runs", kMostInputs),
        "inputs"};
  }

  Status AddFolder(const fs::path& folder) {
    std::vector<OcrInput> found;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      std::error_code ignored;
      if (LooksLikePicture(entry->path()) && entry->is_regular_file(ignored)) {
        found.push_back({entry->path(), entry->path().lexically_relative(folder).string(), ""});
      }
    }
    if (error) {
      found.push_back({folder, folder.filename().string(),
                       fmt::format("cannot look into the folder: {}", error.message())});
    }
    std::ranges::sort(found, {}, [](const OcrInput& input) { return input.path.native(); });
    for (OcrInput& input : found) OCELLI_RETURN_IF_ERROR(AddOne(std::move(input)));
    return {};
  }

  std::vector<OcrInput> inputs_;
  std::set<std::string> seen_;
};

}  // namespace

Result<std::vector<OcrInput>> ListOcrInputs(const std::vector<std::string>& arguments) {
  InputList list;
  for (const std::string& argument : arguments) {
    if (argument != "-") {
      OCELLI_RETURN_IF_ERROR(list.Add(argument));
      continue;
    }
    for (std::string line; std::getline(std::cin, line);) {
      if (line.ends_with('\r')) line.pop_back();
      if (!line.empty()) OCELLI_RETURN_IF_ERROR(list.Add(line));
    }
  }
  std::vector<OcrInput> inputs = list.Take();
  if (!inputs.empty()) return inputs;
  return Error{ErrorCode::kInvalidArgument,
               "there are no pictures to read: ocelli ocr FILE|FOLDER... -o FOLDER, or - for paths "
               "from standard input",
               "inputs"};
}

}  // namespace ocelli::cli
