#ifndef OCELLI_CLI_SERVE_OPTIONS_H_
#define OCELLI_CLI_SERVE_OPTIONS_H_

#include <cstdint>
#include <string>

#include "base/error.h"
#include "cli/ask_options.h"
#include "engine/engine_options.h"
#include "picture/processor_options.h"
#include "server/server_options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace ocelli::cli {

// Everything that `ocelli serve` can be told.
struct ServeOptions {
  ModelOptions model;
  SamplingOptions sampling;  // of requests that name nothing
  PictureOptions picture;    // likewise
  EngineOptions engine;
  server::ServerOptions server;
  std::string model_name;    // empty: from the model's folder
  std::string api_key_file;  // one key a line
};

// Adds all of them to `command`, which reads into `options`.
void AddServeOptions(CLI::App& command, ServeOptions& options);

// Adds the keys of options.api_key_file to those of the command line, and checks what CLI11 cannot.
// **Errors**: those of ReadFile; kInvalidArgument for an empty key, a file without keys, a base
// path that is none.
Status CompleteServeOptions(ServeOptions& options);

// Lowers what the server may keep in memory, where little can be had, to a thirty-second of that
// for each: bodies, prepared pictures, pictures kept by uuid; to a twentieth for pixels that are
// being decoded.
void FitToMemory(uint64_t usable_bytes, server::ServerOptions& options);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_SERVE_OPTIONS_H_
