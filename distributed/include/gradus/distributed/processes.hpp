#pragma once

#include <gradus/distributed/communicator.hpp>
#include <gradus/models/processes.hpp>

#pragma GCC visibility push(default)
namespace gradus::distributed {

/// How long the sums of a process have taken, in seconds since processes_of().
struct SumTimes {
  double summing = 0;  ///< a sum was running, other processes' delays included
  double waiting = 0;  ///< the process did nothing but wait for sums: summing − waiting is overlapped
};

/// The processes of a job for a models::Trainer. If a network sends messages, sums run in a thread of
/// their own, which no other call on the communicator may meet: finish_sums() comes before. On one host,
/// where the thread would take a core from the computation, finish_sums() makes all sums. The communicator
/// must outlive the result.
/// @param times if not null, finish_sums() updates it
models::Processes processes_of(Communicator& communicator, SumTimes* times = nullptr);

}  // namespace gradus::distributed
#pragma GCC visibility pop
