#pragma once

#include <gradus/distributed/communicator.hpp>

#include <cstdint>
#include <functional>

#pragma GCC visibility push(default)
namespace gradus::distributed {

/// Runs f in `count` threads. Each thread acts as one process of a job, with its own Communicator. For tests
/// and for learning; to train on one machine, Trainer already uses all cores.
/// @throws Error if count is below 1, and the first exception that f throws. Communication in the other
/// threads then throws too.
void run_as_threads(std::int64_t count, const std::function<void(Communicator&)>& f);

}  // namespace gradus::distributed
#pragma GCC visibility pop
