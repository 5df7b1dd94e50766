#include "serving/server.hpp"

namespace gradus::tools {

// A gradus without an HTTP library; the command says so before it makes a Server.
class Server::Impl {};

bool has_http() { return false; }

Server::Server(Service& /*service*/, const ServerOptions& /*options*/) {}
Server::~Server() = default;
int Server::bind() { return 0; }
void Server::run() {}
void Server::stop() {}

}  // namespace gradus::tools
