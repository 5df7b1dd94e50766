#pragma once

#include <memory>
#include <string>

#include "serving/service.hpp"

namespace gradus::tools {

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 8000;                  ///< 0: any free port
  std::string token;                ///< the token that clients must send; empty: none
  std::size_t most_body = 1 << 20;  ///< maximum size of a body in bytes
  int connections = 128;            ///< maximum number served at the same time
  int seconds = 10;                 ///< time limit for a client to send a request, and to read the answer
  std::string allowed_origin;  ///< origin of pages on other hosts that may send requests (CORS); empty: none
};

/// True if this gradus was built with an HTTP library.
bool has_http();

/// Serves until stop() is called.
class Server {
 public:
  /// @throws Error if the system cannot start a thread for each connection
  Server(Service& service, const ServerOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Opens the port, and returns its number. @throws Error if it cannot be opened.
  int bind();
  /// Answers requests until stop() is called, then finishes the running ones.
  void run();
  /// Thread-safe.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// True if the texts are equal, in a time that depends only on the length of `given`.
bool equal_in_constant_time(const std::string& given, const std::string& expected);

}  // namespace gradus::tools
