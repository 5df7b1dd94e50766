#pragma once

#include <gradus/distributed/communicator.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#pragma GCC visibility push(default)
/// Jobs of several processes on one or several hosts, which mpirun or srun starts.
namespace gradus::distributed {

/// Whether gradus was built with MPI (the CMake option GRADUS_WITH_MPI).
bool has_mpi();

/// This process's place in its job, as mpirun or srun states it in the environment. Does not need MPI.
struct Place {
  std::int64_t rank = 0, size = 1;
};
Place launched();

/// How a process notices that another one has failed, and the end of the message that it then prints.
struct Watch {
  std::int64_t seconds = 20;  ///< without a sign of life before a process counts as lost; at least 2
  /// Returns true if this process was asked to end, for example by SIGTERM, which mpirun sends to all
  /// processes if one has failed.
  std::function<bool()> ending = [] { return false; };
  /// Returns the end of the message: how to continue. Called from any thread.
  std::function<std::string()> way_on = [] { return std::string(); };
};

/// Connects the job's processes by MPI; returns an Alone if there is only one process. Call it once per
/// process. Each process sends a sign of life every second, from a thread of its own. If a process is killed,
/// stopped, or cut off, another one prints a line to standard error that names it and ends the job with exit
/// code 1. A process that is stopped while MPI itself starts or ends is not noticed: the job waits until that
/// process continues.
/// @throws Error if there are several processes and gradus was built without MPI.
std::unique_ptr<Communicator> connect(const Watch& watch = {});

/// Ends all processes of the job with this exit code. Does nothing unless connect() has connected several
/// processes.
void abort_job(int code);

}  // namespace gradus::distributed
#pragma GCC visibility pop
