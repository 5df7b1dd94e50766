#pragma once

#include <gradus/distributed/communicator.hpp>

#include <cstdint>
#include <functional>

#pragma GCC visibility push(default)
namespace gradus::distributed {

/// Runs f in `count` threads. Each thread acts as one process of a job and has its own Communicator. Use it
/// for tests and for learning. To train on one machine, use a Trainer, which already uses all cores.
/// @throws Error if count is below 1. Rethrows the first exception of f; communication in the other threads
/// then throws too.
void run_as_threads(std::int64_t count, const std::function<void(Communicator&)>& f);

}  // namespace gradus::distributed
#pragma GCC visibility pop
