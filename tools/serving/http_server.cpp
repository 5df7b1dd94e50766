#include "serving/http_server.hpp"

#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "serving/threads.hpp"

namespace gradus::tools {
namespace {

thread_local Connection* current = nullptr;
thread_local bool refuses = false;  // true while this thread refuses a connection because the queue is full

// httplib's task queue with a limit on the number of tasks. Beyond the limit, a task runs immediately
// with `refuses` set. The task cannot be dropped, because only the task itself closes its connection.
class LimitedQueue final : public httplib::TaskQueue {
 public:
  LimitedQueue(int threads, std::atomic<int>& open) : threads_(threads), most_(2 * threads), open_(open) {}

  // the result of enqueue(): void in httplib 0.11, bool in newer versions (true: the task was accepted)
  using Enqueued = decltype(std::declval<httplib::TaskQueue&>().enqueue(std::function<void()>()));

  Enqueued enqueue(std::function<void()> task) override {
    if (open_ >= most_) {
      refuses = true;
      task();
      refuses = false;
    } else {
      ++open_;
      threads_.enqueue([this, task = std::move(task)] {
        task();
        --open_;
      });
    }
    return static_cast<Enqueued>(true);
  }

  void shutdown() override { threads_.end(); }

 private:
  Threads threads_;
  int most_;
  std::atomic<int>& open_;
};

// The two signatures of Server::process_request(): in httplib 0.11, and in newer versions.
using Setup = std::function<void(httplib::Request&)>;
using ProcessRequest = bool (httplib::Server::*)(httplib::Stream&, bool, bool&, const Setup&);
using ProcessRequestFrom = bool (httplib::Server::*)(httplib::Stream&, const std::string&, int,
                                                     const std::string&, int, bool, bool&, const Setup&);

// httplib compresses with Brotli's highest quality if the client accepts Brotli. This takes seconds per
// megabyte.
void refuse_brotli(httplib::Request& request) {
  const bool accepts_gzip = request.get_header_value("Accept-Encoding").find("gzip") != std::string::npos;
  request.headers.erase("Accept-Encoding");
  if (accepts_gzip) request.set_header("Accept-Encoding", "gzip");
}

[[maybe_unused]] bool process(ProcessRequest request, httplib::Server& server, Connection& connection,
                              bool closes, bool& closed) {
  return (server.*request)(connection, closes, closed, refuse_brotli);
}

[[maybe_unused]] bool process(ProcessRequestFrom request, httplib::Server& server, Connection& connection,
                              bool closes, bool& closed) {
  std::string from, to;
  int from_port = 0, to_port = 0;
  connection.get_remote_ip_and_port(from, from_port);
  connection.get_local_ip_and_port(to, to_port);
  return (server.*request)(connection, from, from_port, to, to_port, closes, closed, refuse_brotli);
}

std::string refusal() {
  const std::string body = "{\"error\":\"too many connections; try again later\"}\n";
  return "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\nRetry-After: 1\r\nConnection: close\r\n\r\n" + body;
}

}  // namespace

Connection* HttpServer::connection() { return current; }

HttpServer::HttpServer(const ConnectionLimits& limits)
    : limits_(limits), queue_(std::make_unique<LimitedQueue>(limits.connections, open_)) {
  new_task_queue = [this] { return queue_.release(); };  // httplib calls this once, and deletes the queue
  // Replaces httplib's SO_REUSEPORT, which would let two servers share a port.
  set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  set_tcp_nodelay(true);
  // These two calls only set the limits that the header Keep-Alive states. serve() enforces them.
  set_keep_alive_timeout(std::chrono::floor<std::chrono::seconds>(limits_.patience).count());
  set_keep_alive_max_count(most_requests);
}

void HttpServer::lengthen_backlog() { ::listen(svr_sock_, SOMAXCONN); }

bool HttpServer::process_and_close_socket(socket_t socket) {
  Connection connection(socket, limits_);
  if (refuses) {
    const std::string answer = refusal();
    connection.write(answer.data(), answer.size());
    connection.flush();
    connection.receive();  // with unread bytes, close() would discard the answer
  } else {
    current = &connection;
    serve(connection);
    current = nullptr;
    connection.linger();
  }
  ::close(socket);
  return true;
}

void HttpServer::serve(Connection& connection) {
  for (int n = 1; n <= most_requests; ++n) {
    if (!connection.wait_for_request([this] { return ends() || is_crowded(); })) return;
    const bool closes = n == most_requests || ends() || is_crowded();
    bool closed = false;
    const bool answered = process(&HttpServer::process_request, *this, connection, closes, closed);
    if (!connection.flush() || !answered || closes || closed || connection.closes_after_answer()) return;
  }
}

}  // namespace gradus::tools
