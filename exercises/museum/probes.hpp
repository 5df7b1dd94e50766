#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "diagnosis.hpp"
#include "subject.hpp"

/// Experiments on a model that tell the exhibits of the museum apart by their behaviour.
namespace museum {

/// The result of a probe.
struct Observation {
  bool seen = false;  ///< true if the model shows the mistake of this probe's exhibit
  std::string says;   ///< what was observed, in a sentence
};

struct Probe {
  int exhibit;  ///< 1 … 15
  std::function<Observation(const Subject&)> observe;
};

/// The probes in the order of a diagnosis. If a mistake also shows in the probe of another mistake, its own
/// probe comes first.
const std::vector<Probe>& probes();

/// A new model with random parameters, in double.
std::unique_ptr<Subject> drawn(const Make& make, std::uint64_t seed = 1);

}  // namespace museum
