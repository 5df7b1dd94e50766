#include "communicators/check_call.hpp"

#include <gradus/autograd/scope.hpp>
#include <gradus/message.hpp>

namespace gradus::distributed {

void check_peer(std::int64_t rank, std::int64_t size, std::int64_t peer) {
  if (peer >= 0 && peer < size && peer != rank) return;
  fail("Communicator", "process ", rank, " of ", size, " has no peer ", peer);
}

std::string wrong_size(std::int64_t rank, std::int64_t peer, std::size_t expected, std::size_t received) {
  return message("process ", rank, " expects ", expected, " bytes of process ", peer, ", which sends ",
                 received, "; all processes must make the same calls");
}

void check_received(std::int64_t rank, std::int64_t peer, std::size_t expected, std::size_t received) {
  if (received != expected) fail("Communicator", wrong_size(rank, peer, expected, received));
}

}  // namespace gradus::distributed
