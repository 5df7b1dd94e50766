#pragma once

#include <gradus/distributed/communicator.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#pragma GCC visibility push(default)
/// Jobs of several processes on one or several hosts, started by mpirun or srun.
namespace gradus::distributed {

/// True if gradus was built with MPI (the CMake option GRADUS_WITH_MPI).
bool has_mpi();

/// This process's rank and the job's size, read from the environment that mpirun or srun sets. launched()
/// also works if gradus was built without MPI.
struct Place {
  std::int64_t rank = 0, size = 1;
};
Place launched();

/// Settings of connect(): how failed processes are detected, and how the message about a failure ends.
struct Watch {
  std::int64_t seconds = 20;  ///< time without a sign of life after which a process is lost; at least 2
  /// Returns true if this process was asked to end, for example by SIGTERM. If one process has failed, mpirun
  /// sends SIGTERM to all.
  std::function<bool()> ending = [] { return false; };
  /// Returns the end of the message about a failure: how to continue. May be called from any thread.
  std::function<std::string()> way_on = [] { return std::string(); };
};

/// Connects the job's processes by MPI. Returns an Alone if there is only one process. Call connect() at most
/// once in each process. Each process sends a sign of life every second from a separate thread. If a process
/// is killed, stopped or cut off, another process names it on standard error, and ends the job with exit code
/// 1. A process that is stopped while MPI starts or ends is not detected: the job then waits until that
/// process continues.
/// @throws Error if there are several processes and gradus was built without MPI. With MPI, also throws if
/// Watch::seconds is below 2, or if this MPI has no thread support.
std::unique_ptr<Communicator> connect(const Watch& watch = {});

/// Ends all processes of the job with this exit code. Does nothing unless connect() has connected several
/// processes.
void abort_job(int code);

}  // namespace gradus::distributed
#pragma GCC visibility pop
