#ifndef OCELLI_BASE_REPLACE_FILE_H_
#define OCELLI_BASE_REPLACE_FILE_H_

#include <filesystem>
#include <string_view>

#include "base/error.h"

namespace ocelli {

// Gives the file `path` this content so that it is either the old one or the whole new one,
// whatever happens, a power cut included. The content is written to `fresh` first, which must be on
// the same disk and nobody else's; a process that dies may leave it behind.
// **Errors**: kResourceExhausted when the disk or a quota is full, kIo.
Status ReplaceFile(const std::filesystem::path& path, std::string_view content,
                   const std::filesystem::path& fresh);

// Makes what was renamed or created in `directory` last through a power cut.
void SyncDirectory(const std::filesystem::path& directory);

}  // namespace ocelli

#endif  // OCELLI_BASE_REPLACE_FILE_H_
