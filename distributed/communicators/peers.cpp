#include "communicators/peers.hpp"

#include <gradus/message.hpp>

#include <cerrno>
#include <csignal>

namespace gradus::distributed {

bool Peers::alive(std::int64_t rank) const {
  const Peer& peer = all[static_cast<std::size_t>(rank)];
  return peer.host != host || ::kill(peer.pid, 0) == 0 || errno != ESRCH;
}

std::int64_t Peers::reporter(std::int64_t lost) const {
  for (std::int64_t rank = 0; rank < std::ssize(all); ++rank) {
    if (rank != lost && all[static_cast<std::size_t>(rank)].host == host && alive(rank)) return rank;
  }
  return 0;
}

std::string Peers::the_dead(std::int64_t peer) const {
  for (std::int64_t rank = 0; rank < std::ssize(all); ++rank) {
    if (!alive(rank)) return message(name(rank), " was killed or has crashed, so the job ends");
  }
  return "the job was ended while this process waited for " + name(peer);
}

std::string Peers::silence(std::int64_t rank, std::int64_t seconds) const {
  return message(name(rank), " has given no sign of life for ", seconds, " s, so the job ends");
}

std::string Peers::unreachable(std::int64_t rank, const std::string& error) const {
  return message(name(rank), " cannot be reached any more (", error, "), so the job ends");
}

std::string Peers::name(std::int64_t rank) const {
  if (rank < 0) return "another process";
  if (all.empty()) return message("process ", rank);
  const Peer& peer = all[static_cast<std::size_t>(rank)];
  return message("process ", rank, " of ", all.size(), " (host ", peer.host, ", pid ", peer.pid, ")");
}

}  // namespace gradus::distributed
