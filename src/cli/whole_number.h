#ifndef OCELLI_CLI_WHOLE_NUMBER_H_
#define OCELLI_CLI_WHOLE_NUMBER_H_

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace ocelli::cli {

// Says what is wrong with `text` as a whole number from `least` to `most`; "" when nothing is.
// CLI11 takes "-1" for the largest unsigned number and cuts what is too long.
template <typename Integer>
std::string CheckWholeNumber(const std::string& text, Integer least, Integer most) {
  Integer value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && value >= least && value <= most) return "";
  return fmt::format("{} is not a whole number from {} to {}", text, least, most);
}

template <typename Integer>
Integer IntegerOf(const std::optional<Integer>&);
template <typename Integer>
Integer IntegerOf(const Integer&);

// Adds an option that takes a whole number from `least` to `most`, and nothing that is only nearly
// one.
template <typename Field, typename Integer = decltype(IntegerOf(std::declval<Field&>()))>
CLI::Option* AddWhole(CLI::App& command, const std::string& name, Field& field,
                      const std::string& help,
                      std::type_identity_t<Integer> least = std::numeric_limits<Integer>::min(),
                      std::type_identity_t<Integer> most = std::numeric_limits<Integer>::max()) {
  return command.add_option(name, field, help)->check([least, most](const std::string& text) {
    return CheckWholeNumber<Integer>(text, least, most);
  });
}

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_WHOLE_NUMBER_H_
