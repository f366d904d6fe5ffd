#ifndef OCELLI_CLI_MODEL_IDENTITY_H_
#define OCELLI_CLI_MODEL_IDENTITY_H_

#include <cstdint>
#include <string>

#include "cli/session.h"
#include "engine/engine_options.h"

namespace ocelli::cli {

// How a served model is known to its clients.
struct ModelIdentity {
  std::string name;         // see ModelNameOf
  std::string fingerprint;  // equal for equal weights, program and numeric mode: "fp_..."
  int64_t created = 0;      // Unix time of the weights, seconds
};

// Returns the identity of what `files` opened. The fingerprint is made of samples of the weights
// (a few megabytes, spread over all files), because reading all would take longer than starting.
ModelIdentity IdentityOf(const SessionFiles& files, const EngineOptions& engine);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_MODEL_IDENTITY_H_
