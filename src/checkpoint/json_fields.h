#ifndef OCELLI_CHECKPOINT_JSON_FIELDS_H_
#define OCELLI_CHECKPOINT_JSON_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ocelli {

// As ParseJson, for text whose outermost value must be an object. `file` is named in messages.
// **Errors**: kCorruptData.
Result<nlohmann::json> ParseJsonObject(std::string_view text, std::string_view file);

// Reads typed, bounded fields of a JSON object. The first thing that is wrong is kept with the path
// of its field, later reads then give harmless values, and the caller asks status() once at the
// end. A field that is null counts as absent. The object must outlive this.
class JsonFields {
 public:
  JsonFields(const nlohmann::json& object, std::string_view file);

  bool Has(std::string_view key) const { return Get(key) != nullptr; }

  // Returns the object under `key`; an error when there is none.
  JsonFields Object(std::string_view key);

  // Returns a whole number in [min, max]; without a fallback the field is required.
  size_t Size(std::string_view key, size_t min, size_t max,
              std::optional<size_t> fallback = std::nullopt);
  // Returns a number in [min, max]; without a fallback the field is required.
  double Number(std::string_view key, double min, double max,
                std::optional<double> fallback = std::nullopt);
  bool Bool(std::string_view key, bool fallback);
  // Returns a text; "" when absent.
  std::string String(std::string_view key);
  // Returns a list of at most `max_count` whole numbers in [0, max]; without a fallback required.
  std::vector<size_t> Sizes(std::string_view key, size_t max_count, size_t max,
                            std::optional<std::vector<size_t>> fallback = std::nullopt);
  // Returns a list of exactly three numbers in [min, max].
  std::vector<double> ThreeNumbers(std::string_view key, double min, double max, double fallback);
  // Returns token ids, given as one number or a list; empty when absent.
  std::vector<int32_t> TokenIds(std::string_view key, size_t limit);

  // Keeps kUnsupported when the field is present and says anything but `only`.
  void RequireBool(std::string_view key, bool only);
  void RequireString(std::string_view key, std::string_view only);

  // Keeps an error about field `key`: `what` is the end of a sentence that its path begins.
  void Fail(ErrorCode code, std::string_view key, std::string_view what);
  // Keeps kInvalidArgument about field `key` unless `condition` holds.
  void Require(bool condition, std::string_view key, std::string_view what);

  // Returns the first error of this object or of any object inside it.
  Status status() const;

 private:
  JsonFields(const nlohmann::json& object, const JsonFields& parent, std::string_view key);
  const nlohmann::json* Get(std::string_view key) const;
  std::optional<size_t> ToSize(const nlohmann::json& value, std::string_view key, size_t min,
                               size_t max);
  std::optional<double> ToNumber(const nlohmann::json& value, std::string_view key, double min,
                                 double max);

  const nlohmann::json& object_;
  std::string file_;
  std::string path_;  // "text_config." or ""
  std::shared_ptr<std::optional<Error>> error_;
};

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_JSON_FIELDS_H_
