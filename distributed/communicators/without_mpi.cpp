#include <gradus/autograd/scope.hpp>
#include <gradus/distributed/mpi.hpp>

namespace gradus::distributed {

bool has_mpi() { return false; }

std::unique_ptr<Communicator> connect(const Watch& /*watch*/) {
  if (const Place place = launched(); place.size > 1) {
    fail("Communicator", "this is one of ", place.size,
         " processes, but gradus was built without MPI; install libopenmpi-dev and build again, or run one "
         "process");
  }
  return std::make_unique<Alone>();
}

void abort_job(int /*code*/) {}

}  // namespace gradus::distributed
