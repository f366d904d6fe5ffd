#ifndef OCELLI_CLI_MODEL_LOCATION_H_
#define OCELLI_CLI_MODEL_LOCATION_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "hub/repo_id.h"

namespace ocelli::cli {

// A model that people name: "Qwen/Qwen3-VL-2B-Instruct", or with a revision "org/name@v1".
struct ModelName {
  hub::RepoId repo;
  std::string revision = "main";
};

// Reads "org/name" or "org/name@revision". **Errors**: kInvalidArgument.
Result<ModelName> ParseModelName(std::string_view text);

// Returns the model folder to use: `wanted` when it is given, a folder or the name of a model in
// the cache (see hub::ModelCache), which is fetched first if `pull` and it is not there; else the
// environment variable OCELLI_MODEL, likewise; else the embedded model, beside the program's build
// folder or, once installed, under share/ocelli. A folder goes before a model of the same name.
// **Errors**: kNotFound, saying where it looked and how to get it; those of hub::Pull.
Result<std::filesystem::path> LocateModel(const std::string& wanted, bool pull);

// Returns what the model in `directory` is called: by the hub ("org/name") when it is in a hub's
// cache, "ocelli-embedded", or as its folder is.
std::string ModelNameOf(const std::filesystem::path& directory);

// Returns the folder of the embedded model. **Errors**: kNotFound, saying where it looked.
Result<std::filesystem::path> LocateEmbeddedModel();

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_MODEL_LOCATION_H_
