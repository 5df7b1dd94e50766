#include "serving/address.hpp"

#include <cerrno>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

#include "settings/printable.hpp"
#include "settings/usage_error.hpp"

namespace gradus::tools {
namespace {

// The first address of a host and a port; null if there is none.
std::unique_ptr<addrinfo, void (*)(addrinfo*)> find_address(const std::string& host, int port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) found = nullptr;
  return {found, [](addrinfo* address) {
            if (address != nullptr) ::freeaddrinfo(address);
          }};
}

// Binds a socket to the address for a moment. Returns errno, or 0.
int bind_error(const addrinfo& address) {
  const int socket = ::socket(address.ai_family, address.ai_socktype, address.ai_protocol);
  if (socket < 0) return errno;
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const int error = ::bind(socket, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
  ::close(socket);
  return error;
}

const char* way_out(int error) {
  switch (error) {
    case EADDRINUSE:
      return "another program uses it: choose another --port";
    case EACCES:
      return "choose a --port from 1024";
    case EADDRNOTAVAIL:
      return "give an address of this machine as --host";
    default:
      return "choose another --host or --port";
  }
}

}  // namespace

void check_address(const std::string& host) {
  constexpr int any_port = 0;
  const auto address = find_address(host, any_port);
  const int error = address ? bind_error(*address) : EADDRNOTAVAIL;
  if (error != EADDRNOTAVAIL && error != EAFNOSUPPORT) return;
  throw UsageError("--host: '" + excerpt(host) +
                   "' is not an address of this machine; give 127.0.0.1 for clients on this machine, or "
                   "0.0.0.0 for others too");
}

std::string why_not_listening(const std::string& host, int port) {
  const auto address = find_address(host, port);
  const int error = address ? bind_error(*address) : EADDRNOTAVAIL;
  if (error == 0) return "the port is in use; choose another --port";  // it was in use, and is free again now
  return std::generic_category().message(error) + "; " + way_out(error);
}

}  // namespace gradus::tools
