#ifndef OCELLI_SERVER_ROUTER_H_
#define OCELLI_SERVER_ROUTER_H_

#include <string>
#include <string_view>
#include <vector>

#include "server/http_app.h"

namespace ocelli::server {

// Who may use a route.
enum class RouteAccess {
  kOpen,  // everybody: probes and the page
  kKey,   // who has a key, where keys are set
};

// "GET" routes answer HEAD too. A pattern is a path, or a path that ends in "{id}", which stands
// for the rest (at least one character).
struct Route {
  std::string method;
  std::string pattern;
  RouteAccess access = RouteAccess::kKey;
  RouteHandler handler;
};

// Finds the route of a request. **Threads**: immutable once filled.
class Router {
 public:
  void Add(Route route) { routes_.push_back(std::move(route)); }

  struct Match {
    const Route* route = nullptr;  // null: no such path, or (allow set) not with this method
    std::string parameter;         // what stood for {id}
    std::string allow;             // "GET, HEAD, OPTIONS" when the path exists
  };
  Match Find(std::string_view method, std::string_view path) const;
  const std::vector<Route>& routes() const { return routes_; }

 private:
  std::vector<Route> routes_;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_ROUTER_H_
