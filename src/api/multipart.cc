#include "api/multipart.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/quoted.h"

namespace ocelli::api {
namespace {

constexpr std::string_view kFormType = "multipart/form-data";
constexpr std::string_view kTextType = "text/";
constexpr std::string_view kLineEnd = "\r\n";
constexpr size_t kMaxBoundaryBytes = 70;  // RFC 2046 section 5.1.1

Error Invalid(std::string message) {
  return Error{ErrorCode::kInvalidArgument, std::move(message), "body"};
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, Lower, Lower);
}

std::string_view Trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// Reads a quoted string at the start of `text`, without its first quote, and moves past it. Only
// \" and \\ are escapes: some clients send the backslashes of their paths as they are.
std::string TakeQuoted(std::string_view& text) {
  std::string value;
  size_t i = 0;
  for (; i < text.size() && text[i] != '"'; ++i) {
    const bool escape =
        text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\');
    value += text[escape ? ++i : i];
  }
  text.remove_prefix(std::min(i + 1, text.size()));
  return value;
}

// Returns the parameter `name` of a header value: form-data; name="picture"; filename=a.png
std::optional<std::string> Parameter(std::string_view value, std::string_view name) {
  size_t semicolon = value.find(';');
  while (semicolon != std::string_view::npos) {
    value.remove_prefix(semicolon + 1);
    const size_t equals = value.find_first_of("=;");
    if (equals == std::string_view::npos) return std::nullopt;
    semicolon = equals;
    if (value[equals] == ';') continue;
    const std::string_view key = Trimmed(value.substr(0, equals));
    value = value.substr(equals + 1);
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t'))
      value.remove_prefix(1);
    std::string found;
    if (!value.empty() && value.front() == '"') {
      value.remove_prefix(1);
      found = TakeQuoted(value);
    } else {
      found = Trimmed(value.substr(0, value.find(';')));
    }
    if (EqualsIgnoringCase(key, name)) return found;
    semicolon = value.find(';');
  }
  return std::nullopt;
}

Result<std::string> BoundaryOf(std::string_view content_type) {
  auto boundary = Parameter(content_type, "boundary");
  if (boundary && !boundary->empty() && boundary->size() <= kMaxBoundaryBytes) {
    return *std::move(boundary);
  }
  return Invalid(
      fmt::format("the Content-Type needs a boundary of 1 to {} characters", kMaxBoundaryBytes));
}

// Reads one header line of a part into it.
Status ReadHeader(std::string_view line, FormPart& part) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return Invalid("a part of the form has a broken header");
  const std::string_view name = Trimmed(line.substr(0, colon));
  const std::string_view value = Trimmed(line.substr(colon + 1));
  if (EqualsIgnoringCase(name, "content-disposition")) {
    part.name = Parameter(value, "name").value_or("");
    part.filename = Parameter(value, "filename").value_or("");
    part.is_file |= !part.filename.empty();
  } else if (EqualsIgnoringCase(name, "content-type")) {
    part.is_file |= !EqualsIgnoringCase(value.substr(0, kTextType.size()), kTextType);
  } else if (EqualsIgnoringCase(name, "content-transfer-encoding") &&
             !EqualsIgnoringCase(value, "binary") && !EqualsIgnoringCase(value, "8bit") &&
             !EqualsIgnoringCase(value, "7bit")) {
    return Invalid(fmt::format("a part of the form is encoded as {}; send its bytes as they are",
                               Quoted(value)));
  }
  return {};
}

// Reads the headers at the start of `rest` and moves past them and their blank line.
Result<FormPart> TakeHeaders(std::string_view& rest) {
  FormPart part;
  for (size_t header_bytes = 0;;) {
    const size_t end = rest.substr(0, kMaxFormHeaderBytes).find(kLineEnd);
    if (end == std::string_view::npos && rest.size() < kMaxFormHeaderBytes) {
      return Invalid("the form ends inside the headers of a part");
    }
    header_bytes += end + kLineEnd.size();
    if (end == std::string_view::npos || header_bytes > kMaxFormHeaderBytes) {
      return Error{ErrorCode::kTooLarge,
                   fmt::format("the headers of a part of the form have more than {} bytes",
                               kMaxFormHeaderBytes),
                   "body"};
    }
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + kLineEnd.size());
    if (line.empty()) break;
    OCELLI_RETURN_IF_ERROR(ReadHeader(line, part));
  }
  if (part.name.empty()) return Invalid("a part of the form has no name");
  return part;
}

// Moves past what follows a delimiter; returns whether it was the last.
Result<bool> TakeDelimiterEnd(std::string_view& rest) {
  if (rest.starts_with("--")) return true;
  const size_t end = rest.substr(0, kMaxFormHeaderBytes).find(kLineEnd);
  if (end == std::string_view::npos || !Trimmed(rest.substr(0, end)).empty()) {
    return Invalid("a boundary of the form does not end its line");
  }
  rest.remove_prefix(end + kLineEnd.size());
  return false;
}

}  // namespace

bool IsMultipartForm(std::string_view content_type) {
  return EqualsIgnoringCase(Trimmed(content_type.substr(0, content_type.find(';'))), kFormType);
}

Result<std::vector<FormPart>> ParseMultipartForm(std::string_view content_type,
                                                 std::string_view body) {
  OCELLI_ASSIGN_OR_RETURN(const std::string boundary, BoundaryOf(content_type));
  const std::string delimiter = fmt::format("{}--{}", kLineEnd, boundary);
  std::string_view rest = body;
  // The first delimiter may stand at the very start, without the line end before it.
  if (const std::string_view first = std::string_view(delimiter).substr(kLineEnd.size());
      rest.starts_with(first)) {
    rest.remove_prefix(first.size());
  } else {
    const size_t start = rest.find(delimiter);
    if (start == std::string_view::npos) return Invalid("the form's boundary is not in the body");
    rest.remove_prefix(start + delimiter.size());
  }
  std::vector<FormPart> parts;
  while (true) {
    OCELLI_ASSIGN_OR_RETURN(const bool last, TakeDelimiterEnd(rest));
    if (last) return parts;
    if (parts.size() == kMaxFormParts) {
      return Error{ErrorCode::kTooLarge,
                   fmt::format("the form has more than {} parts", kMaxFormParts), "body"};
    }
    OCELLI_ASSIGN_OR_RETURN(FormPart part, TakeHeaders(rest));
    // A part without content: its blank line is the line end of the delimiter.
    const size_t end = rest.starts_with(std::string_view(delimiter).substr(kLineEnd.size()))
                           ? 0
                           : rest.find(delimiter);
    if (end == std::string_view::npos) return Invalid("the form ends inside a part");
    part.content = rest.substr(0, end);
    const bool empty = !rest.substr(end).starts_with(kLineEnd);
    rest.remove_prefix(end + delimiter.size() - (empty ? kLineEnd.size() : 0));
    parts.push_back(std::move(part));
  }
}

}  // namespace ocelli::api
