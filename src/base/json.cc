#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ocelli {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 64;
constexpr size_t kLongStringBytes = size_t{64} << 10;

// A string of the text that is long and holds nothing but printable ASCII and no escapes: a picture
// as base64.
struct LongString {
  size_t index = 0;       // among all strings of the text, keys too
  std::string_view text;  // between its quotes
};

// What a text would become, counted without parsing.
struct Shape {
  int depth = 0;          // deepest nesting of brackets
  size_t num_values = 1;  // of the text, but for those that are alone in their brackets
  size_t most_keys = 0;   // of one object
  std::vector<LongString> long_strings;
};

// Counts brackets, commas and colons outside strings, and finds the long ones of these.
class ShapeCounter {
 public:
  Shape Count(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '"') {
        Add(text[i]);
        continue;
      }
      i = EndOfString(text, i + 1);
      ++num_strings_;
    }
    return std::move(shape_);
  }

 private:
  // Returns where the string that begins at `begin` has its closing quote.
  size_t EndOfString(std::string_view text, size_t begin) {
    bool plain = true;
    size_t i = begin;
    for (; i < text.size() && text[i] != '"'; ++i) {
      plain = plain && text[i] >= ' ' && text[i] <= '~' && text[i] != '\\';
      if (text[i] == '\\') ++i;
    }
    if (plain && i < text.size() && i - begin >= kLongStringBytes) {
      shape_.long_strings.push_back({num_strings_, text.substr(begin, i - begin)});
    }
    return i;
  }

  void Add(char c) {
    switch (c) {
      case '[':
      case '{':
        shape_.depth = std::max(shape_.depth, ++depth_);
        if (HasCounter()) keys_[static_cast<size_t>(depth_)] = 0;
        ++shape_.num_values;
        return;
      case ']':
      case '}':
        --depth_;
        return;
      case ',':
        ++shape_.num_values;
        return;
      case ':':
        if (!HasCounter()) return;
        shape_.most_keys = std::max(shape_.most_keys, ++keys_[static_cast<size_t>(depth_)]);
    }
  }

  bool HasCounter() const { return depth_ > 0 && depth_ <= kMaxDepth; }

  int depth_ = 0;
  size_t num_strings_ = 0;
  std::array<size_t, kMaxDepth + 1> keys_ = {};  // [depth]
  Shape shape_;
};

Error Fault(std::string message) { return Error{ErrorCode::kCorruptData, std::move(message), ""}; }

// A text without the content of its long strings, which the parser would hold three times over:
// these are pictures of many megabytes. What is left is parsed.
class Skeleton {
 public:
  Skeleton(std::string_view text, const std::vector<LongString>& long_strings)
      : whole_(text), long_strings_(long_strings) {
    const char* from = text.data();
    for (const LongString& string : long_strings) {
      rest_.append(from, string.text.data());
      places_.push_back(rest_.size());
      from = string.text.data() + string.text.size();
    }
    if (!long_strings.empty()) rest_.append(from, text.data() + text.size());
  }

  std::string_view text() const { return long_strings_.empty() ? whole_ : rest_; }
  // Returns the place in the whole text of a place in this one.
  size_t InWhole(size_t place) const {
    size_t whole = place;
    for (size_t i = 0; i < places_.size() && places_[i] < place; ++i) {
      whole += long_strings_[i].text.size();
    }
    return whole;
  }

 private:
  std::string_view whole_;
  const std::vector<LongString>& long_strings_;
  std::string rest_;
  std::vector<size_t> places_;  // where each long string is missing
};

// Makes values of what the parser finds. The library's own copies every string; this one takes it.
template <typename Json>
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(const std::vector<LongString>& long_strings)
      : next_long_(long_strings.begin()), end_long_(long_strings.end()) {}

  Json& root() { return root_; }
  // Why parsing ended early: at this byte of the text, or (0) for a number out of range.
  std::optional<size_t> fault() const { return fault_; }

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(typename Json::number_integer_t value) override { return Add(value); }
  bool number_unsigned(typename Json::number_unsigned_t value) override { return Add(value); }
  bool number_float(typename Json::number_float_t value, const std::string&) override {
    return Add(value);
  }
  bool string(std::string& value) override { return Add(Whole(value)); }
  bool binary(typename Json::binary_t&) override { return false; }  // JSON has none
  bool start_object(size_t) override { return Open(Json::object()); }
  bool key(std::string& name) override {
    member_ = &(*open_.back())[Whole(name)];
    return true;
  }
  bool end_object() override { return Close(); }
  bool start_array(size_t) override { return Open(Json::array()); }
  bool end_array() override { return Close(); }
  bool parse_error(size_t, const std::string&, const typename Json::exception& error) override {
    const auto* syntax = dynamic_cast<const typename Json::parse_error*>(&error);
    fault_ = syntax != nullptr ? syntax->byte : 0;
    return false;
  }

 private:
  // Returns the next string of the text: what the parser found, or the long one in its place.
  std::string Whole(std::string& found) {
    const bool is_long = next_long_ != end_long_ && next_long_->index == num_strings_;
    ++num_strings_;
    return is_long ? std::string((next_long_++)->text) : std::move(found);
  }

  // Puts a value where the next one belongs and returns that place, which stays until it is closed.
  Json* Place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    *member_ = std::move(value);
    return member_;
  }
  bool Add(Json value) {
    Place(std::move(value));
    return true;
  }
  bool Open(Json value) {
    open_.push_back(Place(std::move(value)));
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Json*> open_;  // lists and objects that are not closed, outermost first
  Json* member_ = nullptr;   // of the innermost object: the one whose key was read
  std::vector<LongString>::const_iterator next_long_;
  std::vector<LongString>::const_iterator end_long_;
  size_t num_strings_ = 0;
  std::optional<size_t> fault_;
};

template <typename Json>
Result<Json> Parse(std::string_view text, const Shape& shape) {
  const Skeleton skeleton(text, shape.long_strings);
  Builder<Json> builder(shape.long_strings);
  Json::sax_parse(skeleton.text(), &builder);
  if (!builder.fault()) return std::move(builder.root());
  if (*builder.fault() == 0) return Fault("a number is out of range");
  return Fault(fmt::format("syntax error at byte {}", skeleton.InWhole(*builder.fault())));
}

Status CheckDepth(const Shape& shape) {
  if (shape.depth <= kMaxDepth) return {};
  return Fault(fmt::format("it nests deeper than {} levels", kMaxDepth));
}

std::string_view TypeName(json::value_t type) {
  switch (type) {
    case json::value_t::null:
      return "null";
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "a list";
    case json::value_t::string:
      return "a string";
    case json::value_t::boolean:
      return "true or false";
    default:
      return "a number";
  }
}

}  // namespace

Result<json> ParseJson(std::string_view text) {
  const Shape shape = ShapeCounter().Count(text);
  OCELLI_RETURN_IF_ERROR(CheckDepth(shape));
  return Parse<json>(text, shape);
}

Result<nlohmann::ordered_json> ParseOrderedJson(std::string_view text) {
  const Shape shape = ShapeCounter().Count(text);
  OCELLI_RETURN_IF_ERROR(CheckDepth(shape));
  if (shape.num_values > kMaxJsonValues) {
    return Fault(fmt::format("it has more than {} values", kMaxJsonValues));
  }
  if (shape.most_keys > kMaxJsonKeys) {
    return Fault(fmt::format("an object has more than {} keys", kMaxJsonKeys));
  }
  return Parse<nlohmann::ordered_json>(text, shape);
}

std::string_view JsonTypeName(const json& value) { return TypeName(value.type()); }

std::string_view JsonTypeName(const nlohmann::ordered_json& value) {
  return TypeName(value.type());
}

}  // namespace ocelli
