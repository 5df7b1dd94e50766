// Each exhibit must be diagnosed from its behaviour, and the right program must resemble none of
// them.

#include <gradus/nn/additive_attention.hpp>

#include <cstdlib>
#include <iostream>

#include "collection.hpp"
#include "probes.hpp"

namespace {

// A learner's attention that ignores the lengths.
class Unmasked : public gradus::nn::AdditiveAttention {
 public:
  using AdditiveAttention::AdditiveAttention;
  gradus::nn::Memory prepare(const gradus::Tensor& values, const gradus::Tensor& /*lengths*/) const override {
    return AdditiveAttention::prepare(values, gradus::Tensor());
  }
};

template <class Attention>
museum::Diagnosis of_attention() {
  return museum::diagnose([](const museum::Sizes& n) {
    return museum::around(n, std::make_unique<Attention>(n.hidden, n.annotation(), n.energy));
  });
}

}  // namespace

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
  const int unmasked = of_attention<Unmasked>().exhibit,
            masked = of_attention<gradus::nn::AdditiveAttention>().exhibit;
  std::cout << (unmasked == 11 && masked == 0 ? "ok     " : "WRONG  ")
            << "an attention without a mask: " << unmasked << ", with a mask: " << masked << '\n';
  wrong += unmasked != 11 || masked != 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {  // other random parameters
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
