#ifndef OCELLI_HUB_LISTING_H_
#define OCELLI_HUB_LISTING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "hub/digest.h"

namespace ocelli::hub {

// A file of a model as its hub describes it.
struct RemoteFile {
  std::string path;  // a plain file name
  uint64_t size_bytes = 0;
  FileDigest digest;  // hex is empty when the hub's list does not say
};

// The files of one revision that Ocelli has a use for.
struct Listing {
  std::string commit;  // 40 hexadecimal digits; names the snapshot
  std::vector<RemoteFile> files;
  bool other_weights = false;  // it has weights in formats that are not fetched

  // Returns the file called `path`, or null.
  const RemoteFile* Find(std::string_view path) const;
};

// Returns whether Ocelli reads a file of this name: config.json, generation_config.json,
// preprocessor_config.json, tokenizer.json, tokenizer_config.json, chat_template.*, *.safetensors
// and their index. Never a path with a folder, nor a name with odd characters.
bool IsWantedFile(std::string_view path);

// Reads Hugging Face's answer to GET /api/models/ORG/NAME/revision/REV?blobs=true.
// **Errors**: kCorruptData for anything else.
Result<Listing> ParseHuggingFaceListing(std::string_view json);

// Reads ModelScope's answer to GET /api/v1/models/ORG/NAME/repo/files. It names no commit, so
// `commit` is made from the names and hashes of the files: the same content, the same snapshot.
// **Errors**: kCorruptData for anything else; kNotFound when it says that there is no such model.
Result<Listing> ParseModelScopeListing(std::string_view json);

}  // namespace ocelli::hub

#endif  // OCELLI_HUB_LISTING_H_
