#include "hub/hub_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/file.h"
#include "base/quoted.h"

namespace ocelli::hub {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxTokenFileBytes = 4096;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Returns the folder of everything that Hugging Face's tools keep; "" when nothing says where.
fs::path HuggingFaceHome() {
  if (const std::string home = Variable("HF_HOME"); !home.empty()) return home;
  if (const std::string cache = Variable("XDG_CACHE_HOME"); !cache.empty()) {
    return fs::path(cache) / "huggingface";
  }
  if (const std::string home = Variable("HOME"); !home.empty()) {
    return fs::path(home) / ".cache/huggingface";
  }
  return {};
}

Result<fs::path> CacheDirectory() {
  if (const std::string cache = Variable("HF_HUB_CACHE"); !cache.empty()) return fs::path(cache);
  if (const fs::path home = HuggingFaceHome(); !home.empty()) return home / "hub";
  return Error{ErrorCode::kInvalidArgument,
               "nothing says where models are kept; set HF_HOME to a folder", "HF_HOME"};
}

std::string ReadToken() {
  if (const std::string token = Variable("HF_TOKEN"); !token.empty()) {
    return std::string(Trimmed(token));
  }
  fs::path path = Variable("HF_TOKEN_PATH");
  if (path.empty()) path = HuggingFaceHome() / "token";
  const Result<std::string> content = ReadFile(path, kMaxTokenFileBytes);
  return content.ok() ? std::string(Trimmed(*content)) : "";
}

Result<std::string> CheckEndpoint(std::string url, const std::string& variable) {
  while (url.ends_with('/')) url.pop_back();
  const bool http = url.starts_with("https://") || url.starts_with("http://");
  const bool plain =
      std::all_of(url.begin(), url.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  if (http && plain && url.find_first_of("@?#") == url.npos) return url;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{} is {}, which is no address of a hub; give one such as "
                           "https://huggingface.co",
                           variable, Quoted(url)),
               variable};
}

bool IsTrue(std::string_view value) {
  return value == "1" || value == "true" || value == "TRUE" || value == "yes" || value == "YES" ||
         value == "on" || value == "ON";
}

}  // namespace

Result<HubSettings> HubSettings::FromEnvironment() {
  HubSettings settings;
  OCELLI_ASSIGN_OR_RETURN(settings.cache_directory, CacheDirectory());
  if (std::string endpoint = Variable("HF_ENDPOINT"); !endpoint.empty()) {
    OCELLI_ASSIGN_OR_RETURN(settings.huggingface_endpoint,
                            CheckEndpoint(std::move(endpoint), "HF_ENDPOINT"));
  }
  if (std::string domain = Variable("MODELSCOPE_DOMAIN"); !domain.empty()) {
    if (domain.find("://") == domain.npos) domain.insert(0, "https://");
    OCELLI_ASSIGN_OR_RETURN(settings.modelscope_endpoint,
                            CheckEndpoint(std::move(domain), "MODELSCOPE_DOMAIN"));
  }
  settings.token = ReadToken();
  const bool printable = std::all_of(settings.token.begin(), settings.token.end(),
                                     [](char c) { return c > 0x20 && c < 0x7f; });
  if (!printable) {
    return Error{ErrorCode::kInvalidArgument,
                 "HF_TOKEN holds characters that no token has; copy it again", "HF_TOKEN"};
  }
  settings.offline = IsTrue(Variable("HF_HUB_OFFLINE"));
  return settings;
}

}  // namespace ocelli::hub
