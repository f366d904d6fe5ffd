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

// What a text would become, counted without parsing.
struct Shape {
  int depth = 0;          // deepest nesting of brackets
  size_t num_values = 1;  // of the text, but for those that are alone in their brackets
  size_t most_keys = 0;   // of one object
};

// Counts brackets, commas and colons outside strings.
class ShapeCounter {
 public:
  Shape Count(std::string_view text) {
    bool in_string = false;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (in_string && c == '\\') ++i;
      if (c == '"') in_string = !in_string;
      if (!in_string) Add(c);
    }
    return shape_;
  }

 private:
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
  std::array<size_t, kMaxDepth + 1> keys_ = {};  // [depth]
  Shape shape_;
};

Error Fault(std::string message) { return Error{ErrorCode::kCorruptData, std::move(message), ""}; }

// Makes values of what the parser finds. The library's own copies every string, which is a picture
// of many megabytes here; this one takes it.
template <typename Json>
class Builder : public nlohmann::json_sax<Json> {
 public:
  Result<Json> Take() {
    if (fault_) return *std::move(fault_);
    return std::move(root_);
  }

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(typename Json::number_integer_t value) override { return Add(value); }
  bool number_unsigned(typename Json::number_unsigned_t value) override { return Add(value); }
  bool number_float(typename Json::number_float_t value, const std::string&) override {
    return Add(value);
  }
  bool string(std::string& value) override { return Add(std::move(value)); }
  bool binary(typename Json::binary_t&) override { return false; }  // JSON has none
  bool start_object(size_t) override { return Open(Json::object()); }
  bool key(std::string& name) override {
    member_ = &(*open_.back())[std::move(name)];
    return true;
  }
  bool end_object() override { return Close(); }
  bool start_array(size_t) override { return Open(Json::array()); }
  bool end_array() override { return Close(); }
  bool parse_error(size_t, const std::string&, const typename Json::exception& error) override {
    const auto* syntax = dynamic_cast<const typename Json::parse_error*>(&error);
    fault_ = Fault(syntax != nullptr ? fmt::format("syntax error at byte {}", syntax->byte)
                                     : "a number is out of range");
    return false;
  }

 private:
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
  std::optional<Error> fault_;
};

template <typename Json>
Result<Json> Parse(std::string_view text) {
  Builder<Json> builder;
  Json::sax_parse(text, &builder);
  return builder.Take();
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
  OCELLI_RETURN_IF_ERROR(CheckDepth(ShapeCounter().Count(text)));
  return Parse<json>(text);
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
  return Parse<nlohmann::ordered_json>(text);
}

std::string_view JsonTypeName(const json& value) { return TypeName(value.type()); }

std::string_view JsonTypeName(const nlohmann::ordered_json& value) {
  return TypeName(value.type());
}

}  // namespace ocelli
