#pragma once

#include <atomic>
#include <httplib.h>
#include <memory>

#include "serving/connection.hpp"

namespace gradus::tools {

/// httplib's server with limits on the numbers of served and waiting connections. Answers connections beyond
/// the limits with status 503.
class HttpServer final : public httplib::Server {
 public:
  /// Starts a thread for each connection that may be served at the same time. @throws Error if the system
  /// cannot start them.
  explicit HttpServer(const ConnectionLimits& limits);

  /// The connection whose request this thread answers; null for other threads.
  static Connection* connection();

  /// Raises the limit on connections that wait for accept(). Call this once the port is open.
  void lengthen_backlog();

 private:
  bool process_and_close_socket(socket_t socket) override;
  void serve(Connection& connection);
  bool ends() const { return svr_sock_ == INVALID_SOCKET; }
  // True if every thread serves a connection, and further connections wait.
  bool is_crowded() const { return open_ > limits_.connections; }

  static constexpr int most_requests = 1000;  // maximum per connection

  const ConnectionLimits limits_;
  std::atomic<int> open_ = 0;                  // connections that are served or waiting
  std::unique_ptr<httplib::TaskQueue> queue_;  // null once the server runs
};

}  // namespace gradus::tools
