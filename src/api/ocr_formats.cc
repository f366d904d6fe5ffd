#include "api/ocr_formats.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

struct Row {
  OcrFormat format;
  std::string_view ending;
};
constexpr Row kFormats[] = {{OcrFormat::kText, "txt"},
                            {OcrFormat::kMarkdown, "md"},
                            {OcrFormat::kJson, "json"},
                            {OcrFormat::kCsv, "csv"}};

std::string Text(const OcrPage& page) { return page.text.empty() ? "" : page.text + "\n"; }

// Two blanks at the end of a line keep its break; they mean nothing elsewhere.
std::string Markdown(const OcrPage& page) {
  std::string result;
  std::string_view rest = page.text;
  bool code = false;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    if (line.starts_with("```")) code = !code;
    const bool goes_on = !rest.empty() && !rest.starts_with('\n');
    const bool plain = !line.empty() && !code && !line.starts_with('|') && !line.starts_with("```");
    result.append(line).append(goes_on && plain ? "  \n" : "\n");
  }
  return result;
}

std::string PageJson(const OcrPage& page, std::string_view file) {
  Json document = {{"file", file}};
  document.update(OcrPageJson(page));
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string CsvField(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

std::string Csv(const OcrPage& page, std::string_view file) {
  std::string result = "file,line,text,confidence\r\n";
  for (size_t i = 0; i < page.lines.size(); ++i) {
    result += fmt::format("{},{},{},{:.3f}\r\n", CsvField(file), i + 1,
                          CsvField(page.lines[i].text), page.lines[i].confidence);
  }
  return result;
}

}  // namespace

std::optional<OcrFormat> OcrFormatOf(std::string_view ending) {
  for (const Row& row : kFormats) {
    if (row.ending == ending) return row.format;
  }
  return std::nullopt;
}

std::string_view EndingOf(OcrFormat format) {
  for (const Row& row : kFormats) {
    if (row.format == format) return row.ending;
  }
  return "txt";
}

std::string Formatted(const OcrPage& page, std::string_view file, OcrFormat format) {
  switch (format) {
    case OcrFormat::kMarkdown:
      return Markdown(page);
    case OcrFormat::kJson:
      return PageJson(page, file);
    case OcrFormat::kCsv:
      return Csv(page, file);
    case OcrFormat::kText:
      break;
  }
  return Text(page);
}

}  // namespace ocelli::api
