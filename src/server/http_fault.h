#ifndef OCELLI_SERVER_HTTP_FAULT_H_
#define OCELLI_SERVER_HTTP_FAULT_H_

#include <string>

namespace ocelli::server {

// Why a request cannot be read further, as its answer says it.
struct HttpFault {
  int status = 400;
  std::string message;
  std::string code;  // a word for programs, or empty
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_HTTP_FAULT_H_
