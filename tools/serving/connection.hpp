#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <httplib.h>
#include <string>

namespace gradus::tools {

struct ConnectionLimits {
  int connections;                     ///< maximum served at the same time; the same number can wait
  std::chrono::milliseconds patience;  ///< limit for receiving a request, and for sending its answer
  std::size_t head, body;              ///< maximum sizes of a request's parts in bytes
};

/// A client's connection. httplib's own stream limits the time per byte. This stream limits the time to
/// receive a whole request and to send its answer, so that a client that sends or reads slowly cannot block a
/// thread. This stream also limits the size of heads, and of bodies without a Content-Length.
class Connection final : public httplib::Stream {
 public:
  Connection(socket_t socket, const ConnectionLimits& limits) : socket_(socket), limits_(limits) {}

  /// Waits for the first byte of the next request, and starts that request's clock. Returns false if the
  /// client closes the connection, sends nothing within `patience`, or ends() becomes true.
  bool wait_for_request(const std::function<bool()>& ends);
  /// Sends the buffered bytes. Returns false if the client does not read them in time.
  bool flush();

  /// The time at which the first byte of the request arrived.
  std::chrono::steady_clock::time_point began() const { return began_; }
  /// True if the client did not send the whole request in time.
  bool was_too_slow() const { return was_too_slow_; }
  bool was_too_large() const { return left_ == 0; }
  /// True if the head has arrived completely.
  bool has_head() const { return has_head_; }
  /// Call this at the end of a request's head. From then on, the limit of the body applies.
  void expect_body() {
    has_head_ = true;
    left_ = limits_.body;
  }
  /// True if the client has closed the connection or its sending half (a TCP half-close).
  bool is_closed() const;
  /// Call this if a request was not read to its end: its unread bytes must not be read as the next request.
  void close_after_answer() { closes_ = true; }
  bool closes_after_answer() const { return closes_; }
  /// Call this before closing. Reads and drops further bytes from the client, for a second at most. If unread
  /// bytes remained, closing would reset the connection, and the client might lose the answer.
  void linger();

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  friend class HttpServer;

  bool receive();

  socket_t socket_;
  const ConnectionLimits& limits_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  bool was_too_slow_ = false, closes_ = false, has_head_ = false;
  std::size_t left_ = 0;  // bytes that this part of the request may still have
  std::array<char, 4096> received_{};
  std::size_t next_ = 0, end_ = 0;  // the unread part of received_
  std::string to_send_;             // buffers head and body, so that an answer is sent as a whole
};

}  // namespace gradus::tools
