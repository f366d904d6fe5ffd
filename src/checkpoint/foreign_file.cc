#include "checkpoint/foreign_file.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ocelli {
namespace {

constexpr size_t kMaxSniffedBytes = 512;

// How the files begin that people find in the place of weights or of JSON. Lower case.
struct Signature {
  std::string_view start;
  std::string_view what;
};
constexpr std::array<Signature, 14> kSignatures = {{
    {"version https://git-lfs", "is a Git LFS pointer, not the file itself: run `git lfs pull`"},
    {"<!doctype",
     "is an HTML page, not the file itself: the download link answered with a web page"},
    {"<html", "is an HTML page, not the file itself: the download link answered with a web page"},
    {"<?xml", "is an XML page, not the file itself: the server answered with an error"},
    {"{\"error", "is a server's error message, not the file itself: download it again"},
    {"entry not found", "is a server's error message, not the file itself: download it again"},
    {"repository not found", "is a server's error message, not the file itself: download it again"},
    {"invalid username or",
     "is a server's error message, not the file itself: log in and download it again"},
    {"access to model",
     "is a server's error message, not the file itself: log in and download it again"},
    {"pk\x03\x04", "is a PyTorch or ZIP archive: use the checkpoint's .safetensors files"},
    {"\x80\x02", "is a Python pickle: use the checkpoint's .safetensors files"},
    {"gguf", "is a GGUF file: use the checkpoint's .safetensors files"},
    {"\x1f\x8b", "is gzip-compressed: unpack it first"},
    {"\x89hdf", "is an HDF5 file: use the checkpoint's .safetensors files"},
}};

char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Drops a byte-order mark and blanks, then lowers the case.
std::string Normalised(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), ToLower);
  return lower;
}

}  // namespace

std::string RecogniseForeignFile(std::span<const std::byte> bytes) {
  if (bytes.empty()) return "is empty: the download did not finish";
  const auto begin = bytes.first(std::min(bytes.size(), kMaxSniffedBytes));
  if (std::all_of(begin.begin(), begin.end(), [](std::byte b) { return b == std::byte{0}; })) {
    return "begins with zeros: the download did not finish";
  }
  const std::string text = Normalised({reinterpret_cast<const char*>(begin.data()), begin.size()});
  for (const Signature& signature : kSignatures) {
    if (text.starts_with(signature.start)) return std::string(signature.what);
  }
  return "";
}

}  // namespace ocelli
