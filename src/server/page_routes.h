#ifndef OCELLI_SERVER_PAGE_ROUTES_H_
#define OCELLI_SERVER_PAGE_ROUTES_H_

#include <vector>

#include "server/router.h"
#include "server/static_files.h"

namespace ocelli::server {

// Adds a route for each file of the web page. Without files "/" is a plain page that says what this
// is and which routes `router` has. **Threads**: before anything is served.
void AddPageRoutes(const std::vector<StaticFile>& files, Router& router);

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_PAGE_ROUTES_H_
