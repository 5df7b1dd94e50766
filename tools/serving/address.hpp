#pragma once

#include <string>

namespace gradus::tools {

/// Checks that a server can listen on this host.
/// @param host an address or a name of this machine
/// @throws UsageError naming --host if no server can listen there.
void check_address(const std::string& host);

/// Why no server can listen on this port, and advice, such as "Permission denied; choose a --port from 1024".
/// @param port 0 for any free port
std::string why_not_listening(const std::string& host, int port);

}  // namespace gradus::tools
