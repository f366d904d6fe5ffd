#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"
#include "model/packed_file.h"
#include "model/packed_format.h"

namespace ocelli {
namespace {

using packed::Identity;
using packed::kLengthBytes;

Error Damaged(std::string what) { return Error{ErrorCode::kCorruptData, std::move(what), ""}; }

std::vector<uint64_t> ReadNumbers(const SafetensorsFile& file, std::string_view name) {
  const SafetensorsEntry* entry = file.Find(name);
  if (entry == nullptr || entry->dtype_name != "U64") return {};
  const std::span<const std::byte> bytes = file.Bytes(*entry);
  std::vector<uint64_t> numbers(bytes.size() / sizeof(uint64_t));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

Status CheckIdentity(const SafetensorsFile& file, const PackKey& key,
                     std::span<const uint64_t> checksums) {
  const std::vector<uint64_t> found = ReadNumbers(file, packed::kIdentity);
  if (found.size() != Identity{}.size() || found[0] != packed::kMagic) {
    return Damaged("it is no packed file of Ocelli");
  }
  if (found[1] != packed::kVersion) {
    return Error{
        ErrorCode::kUnsupported,
        fmt::format("it has version {}, this program writes {}", found[1], packed::kVersion), ""};
  }
  if (found[2] != key[0] || found[3] != key[1]) {
    return Error{ErrorCode::kUnsupported, "it holds other weights", ""};
  }
  uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, file.bytes().data(), sizeof(header_bytes));
  const Identity wanted =
      packed::MakeIdentity(key, file.bytes().subspan(kLengthBytes, header_bytes), checksums);
  return found.back() == wanted.back() ? Status() : Damaged("its header is damaged");
}

// Compares every tensor with its checksum.
Status CheckTensors(const SafetensorsFile& file, std::span<const uint64_t> checksums,
                    ThreadPool& pool) {
  std::vector<const SafetensorsEntry*> tensors;
  for (const SafetensorsEntry& entry : file.entries()) {
    const bool ours = entry.name == packed::kChecksums || entry.name == packed::kIdentity ||
                      entry.name.starts_with(packed::kPadPrefix);
    if (!ours) tensors.push_back(&entry);
  }
  std::sort(tensors.begin(), tensors.end(),
            [](const auto* a, const auto* b) { return a->begin < b->begin; });
  if (tensors.size() != checksums.size()) return Damaged("it lacks checksums");
  std::atomic<size_t> wrong = tensors.size();
  pool.ForEach(tensors.size(), [&](size_t i, int) {
    if (packed::Checksum(file.Bytes(*tensors[i])) != checksums[i]) wrong = i;
  });
  if (wrong == tensors.size()) return {};
  return Damaged(fmt::format("the bytes of {} are damaged", tensors[wrong]->name));
}

// Fills in weights from a verified file; matrices stay where they are.
class PackReader : public WeightVisitor {
 public:
  explicit PackReader(std::shared_ptr<const SafetensorsFile> file) : file_(std::move(file)) {}

  const Status& status() const { return status_; }

  void Matrix(const std::vector<Part>& parts, size_t inputs, PackedMatrix& out) override {
    size_t outputs = 0;
    for (const Part& part : parts) outputs += part.outputs;
    ReadMatrix(parts.front().name, outputs, inputs, out);
  }
  void PatchKernel(const VisionConfig& config, PackedMatrix& out) override {
    ReadMatrix(std::string(packed::kPatchKernel), config.hidden_size,
               config.in_channels * config.patch_size * config.patch_size, out);
  }
  void Vector(const std::string& name, size_t size, std::vector<float>& out) override {
    out.resize(size);
    Copy(name, out);
  }
  void Table(const std::string& name, size_t rows, size_t cols, Mat<float>& out) override {
    out = Mat<float>(rows, cols);
    Copy(name, {out.data(), rows * cols});
  }

 private:
  // Returns the numbers of a tensor; none when it is not there. Sets the status when they cannot be
  // numbers of this type.
  template <typename T>
  std::span<const T> Numbers(const std::string& name) {
    const SafetensorsEntry* entry = file_->Find(name);
    if (entry == nullptr) return {};
    const std::span<const std::byte> bytes = file_->Bytes(*entry);
    const bool fits = bytes.size() % sizeof(T) == 0 &&
                      reinterpret_cast<uintptr_t>(bytes.data()) % kCacheLineBytes == 0;
    if (!fits) Fail(fmt::format("{} is out of place", name));
    if (!fits) return {};
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  void Copy(const std::string& name, std::span<float> out) {
    const std::span<const float> numbers = Numbers<float>(name);
    if (numbers.size() != out.size()) {
      return Fail(fmt::format("{} has {} numbers, not {}", name, numbers.size(), out.size()));
    }
    std::copy(numbers.begin(), numbers.end(), out.begin());
  }

  void ReadMatrix(const std::string& name, size_t outputs, size_t inputs, PackedMatrix& out) {
    const auto named = [&](std::string_view part) { return name + std::string(part); };
    const PackedMatrixParts parts{
        Numbers<std::byte>(named(packed::kLines)), Numbers<Packed12Table>(named(packed::kTables)),
        Numbers<uint32_t>(named(packed::kBlockBegins)), Numbers<Escape>(named(packed::kEscapes))};
    Result<PackedMatrix> matrix =
        PackedMatrix::FromParts(outputs, inputs, FormatOf(parts, outputs, inputs), parts, file_);
    if (!matrix.ok()) return Fail(fmt::format("{}: {}", name, matrix.error().message));
    out = *std::move(matrix);
  }

  // Only packed matrices have tables; the others tell themselves apart by their size.
  static WeightFormat FormatOf(const PackedMatrixParts& parts, size_t outputs, size_t inputs) {
    if (!parts.tables.empty()) return WeightFormat::kPacked12;
    const size_t numbers = RoundUp(outputs, kPanelRows) * inputs;
    return parts.lines.size() == numbers * sizeof(float) ? WeightFormat::kFloat32
                                                         : WeightFormat::kBf16;
  }

  void Fail(std::string what) {
    if (status_.ok()) status_ = Damaged(std::move(what));
  }

  std::shared_ptr<const SafetensorsFile> file_;
  Status status_;
};

}  // namespace

Result<ModelWeights> OpenPackedFile(const std::filesystem::path& path, const PackKey& key,
                                    const ModelConfig& config, ThreadPool& pool) {
  OCELLI_ASSIGN_OR_RETURN(SafetensorsFile opened, SafetensorsFile::Open(path));
  const auto file = std::make_shared<const SafetensorsFile>(std::move(opened));
  const std::vector<uint64_t> checksums = ReadNumbers(*file, packed::kChecksums);
  OCELLI_RETURN_IF_ERROR(CheckIdentity(*file, key, checksums));
  OCELLI_RETURN_IF_ERROR(CheckTensors(*file, checksums, pool));
  PackReader reader(file);
  ModelWeights weights;
  VisitWeights(config, weights, reader);
  OCELLI_RETURN_IF_ERROR(reader.status());
  return weights;
}

}  // namespace ocelli
