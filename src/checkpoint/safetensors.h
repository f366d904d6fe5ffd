#ifndef OCELLI_CHECKPOINT_SAFETENSORS_H_
#define OCELLI_CHECKPOINT_SAFETENSORS_H_

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "tensor/tensor_view.h"

namespace ocelli {

// One tensor as the header of a safetensors file describes it.
struct SafetensorsEntry {
  std::string name;
  std::string dtype_name;      // as written: "BF16", "F8_E4M3", ...
  std::optional<DType> dtype;  // absent for formats that we do not compute with
  std::vector<size_t> shape;
  size_t begin = 0;  // offset of the first byte in the file
  size_t end = 0;    // offset past the last one
};

// A safetensors file, memory-mapped and checked: every entry lies inside the file, has exactly the
// bytes that its shape needs, and shares none with another; names are unique.
//
//   +-----------+-------------------+----------------------------------+
//   | u64 N, LE | JSON of N bytes   | tensors, back to back            |
//   +-----------+-------------------+----------------------------------+
//
// **Ref**: the format's README (github.com/huggingface/safetensors).
class SafetensorsFile {
 public:
  // Maps and checks the file; reads its header only. **Errors**: as MappedFile::Open; kCorruptData
  // for anything but a whole safetensors file, naming what it is (a Git LFS pointer, an HTML page,
  // a PyTorch pickle, a cut download); kTooLarge for a header above the format's 100 MB;
  // kUnsupported for a number format that the format does not know.
  static Result<SafetensorsFile> Open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return file_.path(); }
  std::span<const std::byte> bytes() const { return file_.bytes(); }
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }  // by name

  // Returns the entry called `name`, or null.
  const SafetensorsEntry* Find(std::string_view name) const;

  // Returns the bytes of `entry`, which is one of entries().
  std::span<const std::byte> Bytes(const SafetensorsEntry& entry) const {
    return file_.bytes().subspan(entry.begin, entry.end - entry.begin);
  }

  // Gives back the pages of `bytes`, which Bytes() returned.
  void Release(std::span<const std::byte> bytes) const { file_.Release(bytes); }

 private:
  SafetensorsFile(MappedFile file, std::vector<SafetensorsEntry> entries)
      : file_(std::move(file)), entries_(std::move(entries)) {}

  MappedFile file_;
  std::vector<SafetensorsEntry> entries_;
};

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_SAFETENSORS_H_
