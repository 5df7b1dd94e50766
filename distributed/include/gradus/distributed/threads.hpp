#pragma once

#include <gradus/distributed/communicator.hpp>

#include <cstdint>
#include <functional>

#pragma GCC visibility push(default)
namespace gradus::distributed {

/// Runs f in `count` threads. Each has a Communicator and plays one process of a job. For tests and
/// for learning; to train on one machine, Trainer already uses all cores.
/// @throws Error if count is below 1, and what f throws first; the other threads' calls then throw too.
void run_as_threads(std::int64_t count, const std::function<void(Communicator&)>& f);

}  // namespace gradus::distributed
#pragma GCC visibility pop
