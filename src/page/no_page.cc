#include "page/page_files.h"

namespace ocelli::page {

std::vector<server::StaticFile> PageFiles() { return {}; }

}  // namespace ocelli::page
