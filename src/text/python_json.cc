#include "text/python_json.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

namespace ocelli {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxNesting = 128;

// Appends what Python's repr gives for a finite float: the shortest digits that read back the same,
// with an exponent below 1e-4 and from 1e16 on.
void AppendFloat(double value, std::string& out) {
  std::array<char, 32> buffer;
  const auto format = [&](std::chars_format style) {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, style).ptr;
    return std::string_view(buffer.data(), static_cast<size_t>(end - buffer.data()));
  };
  const double magnitude = std::abs(value);
  if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16)) {
    out += format(std::chars_format::scientific);
    return;
  }
  const std::string_view digits = format(std::chars_format::fixed);
  out += digits;
  if (digits.find('.') == std::string_view::npos) out += ".0";
}

void AppendCharacter(char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (static_cast<unsigned char>(c) < 0x20) {
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  } else {
    out.push_back(c);
  }
}

void AppendString(std::string_view text, std::string& out) {
  out.push_back('"');
  for (const char c : text) AppendCharacter(c, out);
  out.push_back('"');
}

// Writes the events of a JSON parser in Python's form.
class PythonWriter : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return Value("null"); }
  bool boolean(bool value) override { return Value(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return Value(fmt::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return Value(fmt::to_string(value)); }
  bool number_float(number_float_t value, const string_t& text) override {
    // Integers beyond 64 bits arrive here too; Python keeps all of their digits.
    if (text.find_first_not_of("-0123456789") == string_t::npos) return Value(text);
    BeginValue();
    AppendFloat(value, out_);
    return true;
  }
  bool string(string_t& value) override {
    BeginValue();
    AppendString(value, out_);
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return Open('{'); }
  bool end_object() override { return Close('}'); }
  bool start_array(size_t) override { return Open('['); }
  bool end_array() override { return Close(']'); }
  bool key(string_t& key) override {
    BeginValue();
    AppendString(key, out_);
    out_ += ": ";
    after_key_ = true;
    return true;
  }
  bool parse_error(size_t position, const std::string&, const Json::exception&) override {
    fault_ = fmt::format("not JSON: the fault is at byte {}", position);
    return false;
  }

  std::string TakeText() { return std::move(out_); }
  const std::string& fault() const { return fault_; }

 private:
  // Writes the comma that goes before every value but the first of its list or object.
  void BeginValue() {
    if (after_key_) {
      after_key_ = false;
      return;
    }
    if (is_first_.empty()) return;
    if (!is_first_.back()) out_ += ", ";
    is_first_.back() = false;
  }
  bool Value(std::string_view text) {
    BeginValue();
    out_ += text;
    return true;
  }
  bool Open(char bracket) {
    if (is_first_.size() == kMaxNesting) {
      fault_ = fmt::format("JSON nested deeper than {} levels", kMaxNesting);
      return false;
    }
    BeginValue();
    out_.push_back(bracket);
    is_first_.push_back(true);
    return true;
  }
  bool Close(char bracket) {
    out_.push_back(bracket);
    is_first_.pop_back();
    return true;
  }

  std::string out_;
  std::string fault_;
  std::vector<bool> is_first_;  // of each open bracket: no value has come yet
  bool after_key_ = false;
};

}  // namespace

Result<std::string> ToPythonJson(std::string_view json) {
  PythonWriter writer;
  if (Json::sax_parse(json, &writer)) return writer.TakeText();
  return Error{ErrorCode::kInvalidArgument, writer.fault(), ""};
}

}  // namespace ocelli
