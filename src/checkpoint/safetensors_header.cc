#include "checkpoint/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/quoted.h"

namespace ocelli {
namespace {

using nlohmann::json;

constexpr size_t kMaxTensors = 100'000;
constexpr size_t kMaxRank = 16;
constexpr std::string_view kMetadataName = "__metadata__";

// Every number format of the safetensors specification; those with a DType are ours.
struct Format {
  std::string_view name;
  size_t bits;
  std::optional<DType> dtype;
};
constexpr std::array<Format, 23> kFormats = {{
    {"BF16", 16, DType::kBf16},       {"F16", 16, DType::kFloat16},
    {"F32", 32, DType::kFloat32},     {"F64", 64, std::nullopt},
    {"C64", 64, std::nullopt},        {"BOOL", 8, std::nullopt},
    {"U8", 8, std::nullopt},          {"I8", 8, std::nullopt},
    {"U16", 16, std::nullopt},        {"I16", 16, std::nullopt},
    {"U32", 32, std::nullopt},        {"I32", 32, std::nullopt},
    {"U64", 64, std::nullopt},        {"I64", 64, std::nullopt},
    {"F4", 4, std::nullopt},          {"F6_E2M3", 6, std::nullopt},
    {"F6_E3M2", 6, std::nullopt},     {"F8_E4M3", 8, std::nullopt},
    {"F8_E5M2", 8, std::nullopt},     {"F8_E8M0", 8, std::nullopt},
    {"F8_E4M3FNUZ", 8, std::nullopt}, {"F8_E5M2FNUZ", 8, std::nullopt},
    {"F4_E2M1", 4, std::nullopt},
}};

const Format* FindFormat(std::string_view name) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [&](const Format& format) { return format.name == name; });
  return found == kFormats.end() ? nullptr : &*found;
}

Error Corrupt(std::string message) {
  return Error{ErrorCode::kCorruptData, std::move(message), ""};
}

// Receives the header piece by piece, so that a hostile one never becomes a tree in memory:
//
//   { "__metadata__": {text: text, ...},
//     "name": {"dtype": text, "shape": [n, ...], "data_offsets": [n, n]}, ... }
//
// A handler that returns false stops the parser; error() then says why.
class HeaderHandler {
 public:
  bool start_object(size_t) {
    ++depth_;
    if (depth_ == 1) return true;
    if (depth_ != 2 || field_ != Field::kNone) return Unexpected("an object");
    if (in_metadata_) return true;
    if (entries_.size() == kMaxTensors) {
      return Stop(Error{ErrorCode::kTooLarge,
                        fmt::format("its header lists more than {} tensors", kMaxTensors), ""});
    }
    SafetensorsEntry& entry = entries_.emplace_back();
    entry.name = std::move(name_);
    seen_ = 0;
    num_offsets_ = 0;
    return true;
  }

  bool end_object() {
    --depth_;
    if (depth_ != 1) return true;
    if (std::exchange(in_metadata_, false)) return true;
    if (seen_ != kAllFields || num_offsets_ != 2) {
      return Stop(Corrupt(fmt::format("tensor {} lacks dtype, shape or two data_offsets",
                                      Quoted(entries_.back().name))));
    }
    return true;
  }

  bool key(std::string& text) {
    if (depth_ == 1) {
      in_metadata_ = text == kMetadataName;
      name_ = std::move(text);
      return true;
    }
    if (in_metadata_) return true;
    field_ = FieldOf(text);
    const unsigned bit = 1u << static_cast<unsigned>(field_);
    if (field_ == Field::kNone || (seen_ & bit) != 0) {
      return Unexpected(fmt::format("the field {}", Quoted(text)));
    }
    seen_ |= bit;
    return true;
  }

  bool start_array(size_t) {
    if (in_array_ || (field_ != Field::kShape && field_ != Field::kDataOffsets)) {
      return Unexpected("a list");
    }
    in_array_ = true;
    return true;
  }

  bool end_array() {
    in_array_ = false;
    field_ = Field::kNone;
    return true;
  }

  bool string(std::string& text) {
    if (in_metadata_ && depth_ == 2) return true;
    if (field_ != Field::kDtype) return Unexpected("a text");
    entries_.back().dtype_name = std::move(text);
    field_ = Field::kNone;
    return true;
  }

  bool number_unsigned(uint64_t number) {
    if (!in_array_) return Unexpected("a number");
    SafetensorsEntry& entry = entries_.back();
    if (field_ == Field::kShape) {
      if (entry.shape.size() == kMaxRank) return Unexpected("a shape of too many dimensions");
      entry.shape.push_back(number);
      return true;
    }
    if (num_offsets_ == 2) return Unexpected("a third offset");
    (num_offsets_ == 0 ? entry.begin : entry.end) = number;
    ++num_offsets_;
    return true;
  }

  bool number_integer(int64_t) { return Unexpected("a negative number"); }
  bool number_float(double, const std::string&) { return Unexpected("a number that is not whole"); }
  bool boolean(bool) { return Unexpected("a boolean"); }
  bool null() { return Unexpected("null"); }
  bool binary(json::binary_t&) { return Unexpected("binary data"); }
  bool parse_error(size_t position, const std::string&, const json::exception&) {
    return Stop(Corrupt(fmt::format("its header is not JSON at byte {}", position)));
  }

  std::vector<SafetensorsEntry>& entries() { return entries_; }
  Error error() const { return error_.value_or(Corrupt("its header is not JSON")); }

 private:
  enum class Field : unsigned { kNone, kDtype, kShape, kDataOffsets };
  static constexpr unsigned kAllFields = 0b1110;

  static Field FieldOf(std::string_view text) {
    if (text == "dtype") return Field::kDtype;
    if (text == "shape") return Field::kShape;
    if (text == "data_offsets") return Field::kDataOffsets;
    return Field::kNone;
  }

  bool Stop(Error error) {
    error_ = std::move(error);
    return false;
  }

  bool Unexpected(std::string_view what) {
    const bool in_entry = depth_ >= 2 && !in_metadata_ && !entries_.empty();
    return Stop(Corrupt(fmt::format("its header has {} where it should not be, at {}", what,
                                    Quoted(in_entry ? entries_.back().name : name_))));
  }

  std::vector<SafetensorsEntry> entries_;
  std::optional<Error> error_;
  std::string name_;  // the key at depth 1 that is being read
  int depth_ = 0;
  bool in_metadata_ = false;
  bool in_array_ = false;
  Field field_ = Field::kNone;
  unsigned seen_ = 0;  // bits of Field that the entry has had
  int num_offsets_ = 0;
};

// Checks that the entry's bytes are those of its shape; sets its dtype.
Status CheckEntry(SafetensorsEntry& entry, size_t data_bytes) {
  const Format* format = FindFormat(entry.dtype_name);
  if (format == nullptr) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("tensor {} has the unknown number format {}; Ocelli reads BF16, F16 "
                             "and F32",
                             Quoted(entry.name), Quoted(entry.dtype_name)),
                 ""};
  }
  entry.dtype = format->dtype;
  size_t bits = format->bits;
  for (size_t extent : entry.shape) {
    if (__builtin_mul_overflow(bits, extent, &bits)) {
      return Corrupt(fmt::format("the shape of tensor {} is too large", Quoted(entry.name)));
    }
  }
  if (entry.begin > entry.end || entry.end > data_bytes) {
    return Corrupt(
        fmt::format("tensor {} lies at bytes {} to {} of {}: the file was cut short or "
                    "is damaged, download it again",
                    Quoted(entry.name), entry.begin, entry.end, data_bytes));
  }
  if (bits % 8 != 0 || bits / 8 != entry.end - entry.begin) {
    return Corrupt(fmt::format("tensor {} has {} bytes, but its shape and format need {}",
                               Quoted(entry.name), entry.end - entry.begin, (bits + 7) / 8));
  }
  return Status();
}

// Checks that the entries cover the data without a gap or an overlap.
Status CheckCover(const std::vector<SafetensorsEntry>& entries, size_t data_bytes) {
  std::vector<const SafetensorsEntry*> order;
  order.reserve(entries.size());
  for (const SafetensorsEntry& entry : entries) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const SafetensorsEntry* a, const SafetensorsEntry* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  size_t covered = 0;
  for (const SafetensorsEntry* entry : order) {
    if (entry->begin != covered) {
      return Corrupt(fmt::format("tensor {} begins at byte {}, {} the end of the one before ({})",
                                 Quoted(entry->name), entry->begin,
                                 entry->begin < covered ? "before" : "after", covered));
    }
    covered = entry->end;
  }
  if (covered == data_bytes) return Status();
  return Corrupt(fmt::format("{} bytes follow its last tensor", data_bytes - covered));
}

Status CheckUnique(const std::vector<SafetensorsEntry>& entries) {
  const auto same = std::adjacent_find(
      entries.begin(), entries.end(),
      [](const SafetensorsEntry& a, const SafetensorsEntry& b) { return a.name == b.name; });
  if (same == entries.end()) return Status();
  return Corrupt(fmt::format("its header lists tensor {} twice", Quoted(same->name)));
}

}  // namespace

Result<std::vector<SafetensorsEntry>> ParseSafetensorsHeader(std::string_view json_text,
                                                             size_t data_bytes) {
  HeaderHandler handler;
  if (!json::sax_parse(json_text.begin(), json_text.end(), &handler)) return handler.error();
  std::vector<SafetensorsEntry>& entries = handler.entries();
  for (SafetensorsEntry& entry : entries) OCELLI_RETURN_IF_ERROR(CheckEntry(entry, data_bytes));
  OCELLI_RETURN_IF_ERROR(CheckCover(entries, data_bytes));
  std::sort(entries.begin(), entries.end(),
            [](const SafetensorsEntry& a, const SafetensorsEntry& b) { return a.name < b.name; });
  OCELLI_RETURN_IF_ERROR(CheckUnique(entries));
  return std::move(entries);
}

}  // namespace ocelli
