#include <gradus/distributed/mpi.hpp>

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace gradus::distributed {
namespace {

std::int64_t number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return -1;
  const std::string_view digits = text;
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? number : -1;
}

}  // namespace

Place launched() {
  // The environment variables that hold the rank and the number of processes. The first row is for Open MPI's
  // mpirun, the second for MPICH's mpiexec and Slurm's srun --mpi=pmi2, the third for Slurm's srun
  // --mpi=pmix.
  constexpr std::array<std::pair<const char*, const char*>, 3> variables{
      {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
       {"PMI_RANK", "PMI_SIZE"},
       {"PMIX_RANK", "SLURM_NTASKS"}}};
  for (const auto& [of_rank, of_size] : variables) {
    const std::int64_t rank = number_in(of_rank), size = number_in(of_size);
    if (0 <= rank && rank < size) return {rank, size};
  }
  return {};
}

}  // namespace gradus::distributed
