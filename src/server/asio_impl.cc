// The one place where Asio's own code is compiled; everywhere else its headers only declare.
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
