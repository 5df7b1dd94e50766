#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gradus::distributed {

// Throws unless `peer` is another process of the job.
void check_peer(std::int64_t rank, std::int64_t size, std::int64_t peer);

// The message about a peer that has sent more or fewer bytes than this process expects.
std::string wrong_size(std::int64_t rank, std::int64_t peer, std::size_t expected, std::size_t received);

// Throws unless the peer has sent as many bytes as this process expects.
void check_received(std::int64_t rank, std::int64_t peer, std::size_t expected, std::size_t received);

}  // namespace gradus::distributed
