#include "serving/connection.hpp"

#include <gradus/autograd/checks.hpp>

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace gradus::tools {
namespace {

using Clock = std::chrono::steady_clock;

thread_local Connection* current_connection = nullptr;
thread_local bool refuses = false;  // true while this thread refuses a connection because the queue is full

// Waits until one of the events happens. Returns false if none happens before the deadline.
bool wait_for(socket_t socket, short events, Clock::time_point until) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    pollfd one{.fd = socket, .events = events, .revents = 0};
    const int found = ::poll(&one, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (found >= 0 || errno != EINTR) return found > 0;
  }
}

void name_of(const sockaddr_storage& address, std::string& ip, int& port) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  in_port_t number = 0;
  if (address.ss_family == AF_INET) {
    sockaddr_in known{};
    std::memcpy(&known, &address, sizeof known);
    ::inet_ntop(AF_INET, &known.sin_addr, text.data(), text.size());
    number = known.sin_port;
  } else if (address.ss_family == AF_INET6) {
    sockaddr_in6 known{};
    std::memcpy(&known, &address, sizeof known);
    ::inet_ntop(AF_INET6, &known.sin6_addr, text.data(), text.size());
    number = known.sin6_port;
  }
  ip = text.data();
  port = ntohs(number);
}

using NameOf = int (*)(int, sockaddr*, socklen_t*);

void name_by(NameOf get, socket_t socket, std::string& ip, int& port) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (get(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0) name_of(address, ip, port);
}

// Threads that run tasks. If a thread cannot be started, httplib::ThreadPool ends the program. This class
// throws Error instead.
class Threads {
 public:
  explicit Threads(int count) {
    try {
      for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error& error) {
      const std::size_t started = threads_.size();
      end();
      fail("serve", "only ", started, " of ", count, " threads for connections could be started (",
           error.code().message(),
           "); raise the limits on processes (ulimit -u) and memory, or lower --connections");
    }
  }
  ~Threads() { end(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void enqueue(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

  // Runs the tasks in the queue, and ends the threads.
  void end() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  void work() {
    while (true) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !tasks_.empty() || ends_; });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

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

Connection* Connection::current() { return current_connection; }

bool Connection::wait_for_request(const std::function<bool()>& ends) {
  constexpr std::chrono::milliseconds slice{100};
  const auto until = Clock::now() + limits_.patience;
  while (next_ == end_ && !wait_for(socket_, POLLIN, std::min(until, Clock::now() + slice))) {
    if (Clock::now() >= until || ends()) return false;
  }
  began_ = Clock::now();
  was_too_slow_ = closes_ = has_head_ = false;
  left_ = limits_.head;
  return next_ < end_ || receive();
}

bool Connection::receive() {
  const ssize_t size = ::recv(socket_, received_.data(), received_.size(), MSG_DONTWAIT);
  if (size <= 0) return false;
  next_ = 0;
  end_ = static_cast<std::size_t>(size);
  return true;
}

bool Connection::is_closed() const {
  pollfd one{.fd = socket_, .events = POLLRDHUP, .revents = 0};
  return ::poll(&one, 1, 0) > 0;
}

ssize_t Connection::read(char* to, std::size_t size) {
  if (next_ == end_) {
    if (!flush()) return -1;  // sends "100 Continue"
    if (!wait_for(socket_, POLLIN, began_ + limits_.patience)) {
      was_too_slow_ = true;
      return -1;
    }
    if (!receive()) return -1;
  }
  size = std::min({size, end_ - next_, left_});
  if (size == 0) return -1;
  left_ -= size;
  std::copy_n(received_.data() + next_, size, to);
  next_ += size;
  return static_cast<ssize_t>(size);
}

ssize_t Connection::write(const char* from, std::size_t size) {
  constexpr std::size_t most = 1 << 16;
  to_send_.append(from, size);
  return to_send_.size() < most || flush() ? static_cast<ssize_t>(size) : -1;
}

bool Connection::flush() {
  const auto until = Clock::now() + limits_.patience;
  std::string_view left = to_send_;
  while (!left.empty()) {
    const ssize_t sent = ::send(socket_, left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      left.remove_prefix(static_cast<std::size_t>(sent));
    } else if (!(errno == EAGAIN || errno == EINTR) || !wait_for(socket_, POLLOUT, until)) {
      break;
    }
  }
  const bool all = left.empty();
  to_send_.clear();
  return all;
}

void Connection::linger() {
  ::shutdown(socket_, SHUT_WR);
  const auto until =
      Clock::now() + std::min<std::chrono::milliseconds>(limits_.patience, std::chrono::seconds(1));
  for (std::size_t read = 0;
       read < limits_.head + limits_.body && wait_for(socket_, POLLIN, until) && receive();)
    read += end_;
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  name_by(::getpeername, socket_, ip, port);
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  name_by(::getsockname, socket_, ip, port);
}

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
    current_connection = &connection;
    serve(connection);
    current_connection = nullptr;
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
