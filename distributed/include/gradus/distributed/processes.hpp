#pragma once

#include <gradus/distributed/communicator.hpp>
#include <gradus/models/processes.hpp>

#pragma GCC visibility push(default)
namespace gradus::distributed {

/// Seconds that the sums have taken in this process, since the call of processes_of().
struct SumTimes {
  double summing = 0;  ///< time in which a sum was running, including delays by other processes
  double waiting = 0;  ///< time in finish_sums(); during the rest of `summing`, the process computed
};

/// The processes of a job for a models::Trainer. If has_network() is true, sums run in a separate thread.
/// Call finish_sums() before any other call on the communicator, because two calls must not overlap. If
/// has_network() is false, finish_sums() itself computes all sums, because a separate thread would take a
/// core from the computation. The communicator must outlive the result.
/// @param times if not null, finish_sums() updates it
models::Processes processes_of(Communicator& communicator, SumTimes* times = nullptr);

}  // namespace gradus::distributed
#pragma GCC visibility pop
