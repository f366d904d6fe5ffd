# Run as a script: writes OUTPUT, a C++ source that defines ocelli::page::PageFiles() from the files
# below DIST. The bytes come in through .incbin, so that the compiler never parses them. Where there
# is a .gz beside a file, it takes the file's place. POLICY is the file that says what the page may
# load, which is built into the page and sent as a header too.

set(TYPE_html "text/html; charset=utf-8")
set(TYPE_js "text/javascript; charset=utf-8")
set(TYPE_css "text/css; charset=utf-8")
set(TYPE_svg "image/svg+xml")
set(TYPE_png "image/png")
set(TYPE_woff2 "font/woff2")

file(READ "${POLICY}" policy)
if(NOT policy MATCHES "POLICY = \"([^\"]+)\"")
  message(FATAL_ERROR "${POLICY} has no POLICY = \"...\"")
endif()
set(policy "${CMAKE_MATCH_1}")

file(GLOB_RECURSE files RELATIVE "${DIST}" "${DIST}/*")
list(FILTER files EXCLUDE REGEX "(\\.gz$|^\\.built$)")
list(SORT files)

set(bytes "")
set(symbols "")
set(entries "")
set(index 0)
foreach(file IN LISTS files)
  string(REGEX MATCH "[^.]+$" extension "${file}")
  if(NOT DEFINED TYPE_${extension})
    message(FATAL_ERROR "${file} has no media type in cmake/EmbedPage.cmake")
  endif()
  set(path "/${file}")
  if(file STREQUAL "index.html")
    set(path "/")
  endif()
  set(source "${DIST}/${file}")
  set(encoding "")
  if(EXISTS "${source}.gz")
    string(APPEND source ".gz")
    set(encoding "gzip")
  endif()
  set(immutable false)
  if(file MATCHES "^assets/")
    set(immutable true)  # Vite puts a hash of the content into these names
  endif()
  string(APPEND bytes
    "    \".global ocelli_page_${index}, ocelli_page_${index}_end\\n\"\n"
    "    \"ocelli_page_${index}: .incbin \\\"${source}\\\"\\n\"\n"
    "    \"ocelli_page_${index}_end: .byte 0\\n\"\n")
  string(APPEND symbols "extern const char ocelli_page_${index}[];\n"
                        "extern const char ocelli_page_${index}_end[];\n")
  string(APPEND entries
    "      {\"${path}\", \"${TYPE_${extension}}\", \"${encoding}\",\n"
    "       Between(ocelli_page_${index}, ocelli_page_${index}_end), ${immutable}, kPolicy},\n")
  math(EXPR index "${index} + 1")
endforeach()

file(WRITE "${OUTPUT}" "// Made by cmake/EmbedPage.cmake from web/dist.
#include \"page/page_files.h\"

#include <string_view>

asm(\".pushsection .rodata\\n\"
${bytes}    \".popsection\\n\");

extern \"C\" {
${symbols}}

namespace ocelli::page {
namespace {

constexpr std::string_view kPolicy = \"${policy}\";

std::string_view Between(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

}  // namespace

std::vector<server::StaticFile> PageFiles() {
  return {
${entries}  };
}

}  // namespace ocelli::page
")
