// mpi_exchange SENT EXPECTED: process 1 sends SENT bytes to process 0, which expects EXPECTED bytes.
// mpi_train.py starts this program in two processes.

#include <gradus/distributed/mpi.hpp>
#include <gradus/error.hpp>

#include <iostream>
#include <string>
#include <vector>

int main(int /*argc*/, char** argv) {
  const auto communicator = gradus::distributed::connect();
  const bool sends = communicator->rank() == 1;
  std::vector<std::byte> bytes(std::stoul(argv[sends ? 1 : 2]));
  try {
    if (sends) {
      communicator->exchange(0, bytes, {});
    } else {
      communicator->exchange(1, {}, bytes);
    }
  } catch (const gradus::Error& error) {
    std::cerr << "Error: " << error.what() << '\n';
  }
}
