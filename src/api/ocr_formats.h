#ifndef OCELLI_API_OCR_FORMATS_H_
#define OCELLI_API_OCR_FORMATS_H_

#include <optional>
#include <string>
#include <string_view>

#include "api/ocr_page.h"

namespace ocelli::api {

// The forms in which a page is handed out.
enum class OcrFormat { kText, kMarkdown, kJson, kCsv };

// Returns the format whose files end in "txt", "md", "json" or "csv"; nothing for others.
std::optional<OcrFormat> OcrFormatOf(std::string_view ending);
std::string_view EndingOf(OcrFormat format);

// Returns `page`, read from the picture `file`, as a file of `format`, in UTF-8, with a line break
// at its end unless it is empty:
//   text      what was read
//   markdown  the same with its line breaks kept; tables and blocks of code are left as they are
//   json      an object: "file" and what OcrPageJson says
//   csv       a head "file,line,text,confidence" and a row for each line (RFC 4180)
// What is not UTF-8 in `file` is replaced.
std::string Formatted(const OcrPage& page, std::string_view file, OcrFormat format);

}  // namespace ocelli::api

#endif  // OCELLI_API_OCR_FORMATS_H_
