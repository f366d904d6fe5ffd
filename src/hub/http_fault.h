#ifndef OCELLI_HUB_HTTP_FAULT_H_
#define OCELLI_HUB_HTTP_FAULT_H_

#include <string>

#include "base/error.h"
#include "hub/http_client.h"
#include "hub/repo_id.h"

namespace ocelli::hub {

// What a request was for, as far as a message needs to know.
struct HttpPurpose {
  RepoId repo;
  std::string revision;
  std::string file;         // empty: the list of files
  std::string endpoint;     // of the hub
  bool token_sent = false;  // whether the request carried HF_TOKEN
};

// Returns the sentence for a request that did not succeed and is not tried again: what was asked of
// whom, what the answer means, and what to do.
// **Errors**: kNotFound for a model, revision or file that is not there; kInvalidArgument when a
// licence or a token is missing; kUnavailable for a server that is busy, ailing or cannot be
// reached; kIo for any other answer.
Error HttpFault(const HttpResponse& response, const HttpPurpose& purpose);

}  // namespace ocelli::hub

#endif  // OCELLI_HUB_HTTP_FAULT_H_
