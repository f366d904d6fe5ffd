#ifndef OCELLI_BASE_DISK_H_
#define OCELLI_BASE_DISK_H_

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/error.h"

namespace ocelli {

// Returns the error for a write to `path` that errno says failed: kResourceExhausted when the disk
// or a quota is full, kIo otherwise.
Error WriteError(const std::filesystem::path& path, std::string_view verb);

// Writes all of `data` at the file's position, or at `offset`. **Errors**: as WriteError.
Status WriteAll(int fd, std::string_view data, const std::filesystem::path& path);
Status WriteAllAt(int fd, std::string_view data, uint64_t offset,
                  const std::filesystem::path& path);

// Makes `directory` and what leads to it. **Errors**: kIo, kResourceExhausted.
Status MakeDirectories(const std::filesystem::path& directory);

// Gives the file `path` this content so that it is either the old one or the whole new one,
// whatever happens, a power cut included. The content is written to `fresh` first, which must be on
// the same disk and nobody else's; a process that dies may leave it behind.
// **Errors**: as WriteError.
Status ReplaceFile(const std::filesystem::path& path, std::string_view content,
                   const std::filesystem::path& fresh);
// The same with a hidden file beside `path` as the fresh one.
Status ReplaceFile(const std::filesystem::path& path, std::string_view content);

// Gives `link` the relative target `target`, replacing what was there. **Errors**: as WriteError.
Status ReplaceLink(const std::filesystem::path& link, const std::filesystem::path& target);

// Makes what was renamed or created in `directory` last through a power cut.
void SyncDirectory(const std::filesystem::path& directory);

// Returns the bytes that the disk of `directory` (or of its nearest parent that exists) has free
// for us. **Errors**: kIo.
Result<uint64_t> FreeDiskBytes(const std::filesystem::path& directory);

// Returns the disk that a file takes, which for a file with holes is less than its size; 0 when
// there is none.
uint64_t DiskBytesOf(const std::filesystem::path& file);

}  // namespace ocelli

#endif  // OCELLI_BASE_DISK_H_
