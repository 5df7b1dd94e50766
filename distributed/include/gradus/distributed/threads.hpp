#pragma once

#include <gradus/distributed/communicator.hpp>

#include <cstdint>
#include <functional>

#pragma GCC visibility push(default)
namespace gradus::distributed {

/// Runs f in `count` threads. Each thread acts as one process of a job and has its own Communicator. Use
/// run_as_threads() for tests and for learning. To train on one machine, use a Trainer, which already uses
/// all cores.
/// @throws Error if count is below 1. If f throws in one thread, the other threads' calls that wait for
/// messages throw too. When all threads have ended, run_as_threads() rethrows the first exception.
void run_as_threads(std::int64_t count, const std::function<void(Communicator&)>& f);

}  // namespace gradus::distributed
#pragma GCC visibility pop
