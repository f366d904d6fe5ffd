#ifndef OCELLI_PAGE_PAGE_FILES_H_
#define OCELLI_PAGE_PAGE_FILES_H_

#include <vector>

#include "server/static_files.h"

namespace ocelli::page {

// Returns the files of the web page, built from web/ and part of the program; "/" is the page
// itself. Empty when the program was built without it (OCELLI_WEB=OFF). **Threads**: any.
std::vector<server::StaticFile> PageFiles();

}  // namespace ocelli::page

#endif  // OCELLI_PAGE_PAGE_FILES_H_
