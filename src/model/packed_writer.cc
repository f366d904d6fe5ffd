#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/descriptor.h"
#include "base/disk.h"
#include "base/rounding.h"
#include "checkpoint/expected_tensors.h"
#include "model/packed_file.h"
#include "model/packed_format.h"

namespace ocelli {
namespace {

using packed::Checksum;
using packed::kLengthBytes;

constexpr size_t kEntryBytes = 512;          // of the header, for one tensor, at most
constexpr size_t kEntriesPerTensor = 2 * 4;  // parts of a matrix, each with a pad

// Returns the room that is kept for length and header, which is written last.
size_t HeaderRoom(const ModelConfig& config) {
  return RoundUp(kLengthBytes + ExpectedTensors(config).size() * kEntriesPerTensor * kEntryBytes,
                 kHugePageBytes);
}

// Loads weights and writes each away before the next is loaded.
class PackWriter : public WeightVisitor {
 public:
  PackWriter(WeightSource& source, WeightFormat wanted, int file, std::filesystem::path path,
             ThreadPool& pool, const LoadProgress& progress)
      : loader_(source, wanted, pool, progress),
        file_(file),
        path_(std::move(path)),
        room_(HeaderRoom(source.config())) {}

  const Status& status() const { return loader_.status().ok() ? status_ : loader_.status(); }

  void Matrix(const std::vector<Part>& parts, size_t inputs, PackedMatrix& out) override {
    loader_.Matrix(parts, inputs, out);
    Append(parts.front().name, out);
  }
  void PatchKernel(const VisionConfig& config, PackedMatrix& out) override {
    loader_.PatchKernel(config, out);
    Append(std::string(packed::kPatchKernel), out);
  }
  void Vector(const std::string& name, size_t size, std::vector<float>& out) override {
    loader_.Vector(name, size, out);
    Append(name, "F32", {size}, std::as_bytes(std::span(out)), kCacheLineBytes);
    out = {};
  }
  void Table(const std::string& name, size_t rows, size_t cols, Mat<float>& out) override {
    loader_.Table(name, rows, cols, out);
    Append(name, "F32", {rows, cols}, std::as_bytes(std::span(out.data(), rows * cols)),
           kCacheLineBytes);
    out = {};
  }

  // Writes what says that the file is whole.
  Status Finish(const PackKey& key) {
    const std::vector<uint64_t> checksums = checksums_;
    Append(std::string(packed::kChecksums), "U64", {checksums.size()},
           std::as_bytes(std::span(checksums)), kCacheLineBytes);
    // The header names the identity's place before its content, which covers the header, is known.
    packed::Identity identity{};
    const size_t at = Place(std::string(packed::kIdentity), "U64", {identity.size()},
                            sizeof(identity), kCacheLineBytes);
    const std::string header = PaddedHeader();
    identity = packed::MakeIdentity(key, std::as_bytes(std::span(header)), checksums);
    Write(std::as_bytes(std::span(identity)), at);
    const uint64_t length = header.size();
    Write(std::as_bytes(std::span(&length, 1)), 0);
    Write(std::as_bytes(std::span(header)), kLengthBytes);
    return status();
  }

 private:
  void Append(const std::string& name, PackedMatrix& matrix) {
    if (!status().ok()) return;
    const PackedMatrixParts& parts = matrix.parts();
    const size_t panels = matrix.num_panels();
    const size_t align = parts.lines.size() >= kHugePageBytes ? kHugePageBytes : kCacheLineBytes;
    const auto named = [&](std::string_view part) { return name + std::string(part); };
    Append(named(packed::kLines), "U8", {panels, matrix.panel_bytes()}, parts.lines, align);
    Append(named(packed::kTables), "U8", {parts.tables.size(), sizeof(Packed12Table)},
           std::as_bytes(parts.tables), kCacheLineBytes);
    Append(named(packed::kBlockBegins), "U32", {parts.block_begins.size()},
           std::as_bytes(parts.block_begins), kCacheLineBytes);
    Append(named(packed::kEscapes), "U8", {parts.escapes.size(), sizeof(Escape)},
           std::as_bytes(parts.escapes), kCacheLineBytes);
    matrix = PackedMatrix();
  }

  void Append(const std::string& name, const char* dtype, const std::vector<size_t>& shape,
              std::span<const std::byte> bytes, size_t align) {
    if (!status().ok() || bytes.empty()) return;
    const size_t at = Place(name, dtype, shape, bytes.size(), align);
    checksums_.push_back(Checksum(bytes));
    Write(bytes, at);
  }

  // Gives a tensor the next place in the file; returns its offset there.
  size_t Place(const std::string& name, const char* dtype, const std::vector<size_t>& shape,
               size_t size_bytes, size_t align) {
    const size_t begin = RoundUp(end_, align);
    if (begin > end_) {
      List(fmt::format("{}{}", packed::kPadPrefix, header_.size()), "U8", {begin - end_}, end_,
           begin);
    }
    end_ = begin + size_bytes;
    List(name, dtype, shape, begin, end_);
    return room_ + begin;
  }

  void List(const std::string& name, const char* dtype, const std::vector<size_t>& shape,
            size_t begin, size_t end) {
    header_[name] = {{"dtype", dtype}, {"shape", shape}, {"data_offsets", {begin, end}}};
  }

  // Returns the header, with spaces up to where the data begins.
  std::string PaddedHeader() {
    std::string text = header_.dump();
    const size_t wanted = room_ - kLengthBytes;
    if (text.size() > wanted && status_.ok()) {
      status_ = Error{ErrorCode::kUnsupported,
                      fmt::format("the header of a packed file would take {} bytes, {} at most",
                                  text.size(), wanted),
                      path_.string()};
    }
    text.resize(wanted, ' ');
    return text;
  }

  void Write(std::span<const std::byte> bytes, size_t at) {
    if (!status().ok()) return;
    const std::string_view data(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    status_ = WriteAllAt(file_, data, at, path_);
  }

  WeightLoader loader_;
  Status status_;
  int file_;
  std::filesystem::path path_;
  size_t room_;     // of the header; offsets of tensors count from its end
  size_t end_ = 0;  // of the last tensor
  nlohmann::json header_;
  std::vector<uint64_t> checksums_;
};

}  // namespace

Status WritePackedFile(WeightSource& source, WeightFormat wanted, const PackKey& key,
                       const std::filesystem::path& path, ThreadPool& pool,
                       const LoadProgress& progress) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.open()) return WriteError(path, "create");
  PackWriter writer(source, wanted, file.get(), path, pool, progress);
  ModelWeights passing;
  VisitWeights(source.config(), passing, writer);
  OCELLI_RETURN_IF_ERROR(writer.status());
  OCELLI_RETURN_IF_ERROR(writer.Finish(key));
  return fsync(file.get()) == 0 ? Status() : WriteError(path, "write");
}

uint64_t PackedFileBytes(const ModelConfig& config, WeightFormat wanted) {
  return HeaderRoom(config) + EstimateWeightBytes(config, wanted);
}

}  // namespace ocelli
