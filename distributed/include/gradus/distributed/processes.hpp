#pragma once

#include <gradus/distributed/communicator.hpp>
#include <gradus/models/processes.hpp>

#pragma GCC visibility push(default)
namespace gradus::distributed {

/// The processes of a job for a models::Trainer. The communicator must outlive the result.
models::Processes processes_of(Communicator& communicator);

}  // namespace gradus::distributed
#pragma GCC visibility pop
