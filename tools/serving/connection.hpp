#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <httplib.h>
#include <string>

namespace gradus::tools {

struct ConnectionLimits {
  int connections;                     ///< served at the same time; as many others may wait
  std::chrono::milliseconds patience;  ///< to receive a request from its first byte, and to send an answer
  std::size_t bytes;                   ///< of a request with its head
};

/// The connection of a client. httplib's own stream limits the time for each byte; this one limits the time
/// to receive a whole request and the time to send its answer, so that a client that sends or reads one byte
/// at a time does not keep a thread. It also limits the bytes of bodies without a Content-Length.
class Connection final : public httplib::Stream {
 public:
  Connection(socket_t socket, const ConnectionLimits& limits) : socket_(socket), limits_(limits) {}

  /// Waits for the first byte of the next request, when the time for this request begins. Returns false if
  /// none comes: the client closed the connection or sent nothing within `patience`, or `ends()` became true.
  bool wait_for_request(const std::function<bool()>& ends);
  /// Sends what was written. False if the client does not take it in time.
  bool flush();

  /// When the first byte of the request came.
  std::chrono::steady_clock::time_point began() const { return began_; }
  /// Why a request could not be received whole.
  bool was_too_slow() const { return was_too_slow_; }
  bool was_too_large() const { return left_ == 0; }
  /// True if the client has closed the connection, or will send nothing more (a TCP half-close).
  bool is_closed() const;
  /// Call it if a request was not read to its end: the following bytes are not the next request.
  void close_after_answer() { closes_ = true; }
  bool closes_after_answer() const { return closes_; }
  /// Lets the client read the answer before it learns that its request was not read to the end.
  void linger();

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

  /// The connection whose request this thread answers; null for other threads.
  static Connection* current();

 private:
  friend class HttpServer;

  bool receive();

  socket_t socket_;
  const ConnectionLimits& limits_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  bool was_too_slow_ = false, closes_ = false;
  std::size_t left_ = 0;  // bytes that the request may still have
  std::array<char, 4096> received_{};
  std::size_t next_ = 0, end_ = 0;  // of received_: what was not read
  std::string to_send_;             // head and body of an answer leave together
};

/// httplib's server with limits on the numbers of served and of waiting connections. Answers further
/// connections with status 503.
class HttpServer final : public httplib::Server {
 public:
  explicit HttpServer(const ConnectionLimits& limits);

  /// Lets more clients connect at the same moment than httplib does. Call it when the port is open.
  void lengthen_backlog();

 private:
  bool process_and_close_socket(socket_t socket) override;
  void serve(Connection& connection);
  bool ends() const { return svr_sock_ == INVALID_SOCKET; }
  // True if every thread serves a connection, and further connections wait for a thread.
  bool is_crowded() const { return open_ > limits_.connections; }

  static constexpr int most_requests = 1000;  // of a connection

  const ConnectionLimits limits_;
  std::atomic<int> open_ = 0;  // connections that are served or wait
};

}  // namespace gradus::tools
