#include "api/ids.h"

#include <cstddef>
#include <random>

namespace ocelli::api {

std::string NewId(std::string_view prefix) {
  constexpr std::string_view kDigits =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  constexpr size_t kIdDigits = 24;
  std::random_device device;  // the operating system's: ids must not be guessed
  std::uniform_int_distribution<size_t> digit(0, kDigits.size() - 1);
  std::string id(prefix);
  for (size_t i = 0; i < kIdDigits; ++i) id += kDigits[digit(device)];
  return id;
}

}  // namespace ocelli::api
