#include "serving/connection.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gradus::tools {
namespace {

using Clock = std::chrono::steady_clock;

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

}  // namespace

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

}  // namespace gradus::tools
