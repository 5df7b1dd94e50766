#include "serving/server.hpp"

namespace gradus::tools {

// Stubs for a build without an HTTP library, in which `gradus serve` reports an error before it makes a
// Server.
class Server::Impl {};

bool has_http() { return false; }

Server::Server(Service& /*service*/, const ServerOptions& /*options*/) {}
Server::~Server() = default;
int Server::bind() { return 0; }
void Server::run() {}
void Server::stop() {}

}  // namespace gradus::tools
