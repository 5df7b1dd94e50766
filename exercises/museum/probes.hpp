#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "diagnosis.hpp"
#include "subject.hpp"

/// Experiments that tell the museum's exhibits apart by the model's behaviour.
namespace museum {

/// The result of a probe.
struct Observation {
  bool seen = false;  ///< true if the model shows the mistake of the probe's exhibit
  std::string says;   ///< a sentence about the observation
};

struct Probe {
  int exhibit;  ///< 1 … 15
  std::function<Observation(const Subject&)> observe;
};

/// The probes in the order in which diagnose() runs them. If mistake A also shows in the probe of mistake B,
/// the probe of A comes first.
const std::vector<Probe>& probes();

/// Makes a model with random parameters, in double.
std::unique_ptr<Subject> drawn(const Make& make, std::uint64_t seed = 1);

}  // namespace museum
