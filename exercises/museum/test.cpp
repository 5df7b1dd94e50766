// Names every exhibit of the museum from its behaviour, and none for the right program.

#include <cstdlib>
#include <iostream>

#include "collection.hpp"
#include "probes.hpp"

int main() {
  int wrong = 0;
  for (int number = 0; number <= museum::exhibits; ++number) {
    const museum::Diagnosis found =
        museum::diagnose([number](const museum::Sizes& sizes) { return museum::exhibit(number, sizes); });
    const bool right = found.exhibit == number;
    wrong += !right;
    std::cout << (right ? "ok     " : "WRONG  ") << "exhibit " << number << ": " << found.exhibit << ' '
              << found.says << '\n';
  }
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {  // other parameters
    const auto subject = museum::drawn(museum::right_program, seed);
    for (const museum::Probe& probe : museum::probes()) {
      const museum::Observation observation = probe.observe(*subject);
      if (!observation.seen) continue;
      ++wrong;
      std::cout << "WRONG  the right program, seed " << seed << ": " << probe.exhibit << ' '
                << observation.says << '\n';
    }
  }
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
