#pragma once

#include <vector>

#include "kit/finding.hpp"

/// Known faults of local attention.
namespace local {

enum class Fault {
  none,
  // the mask
  no_mask,
  mask_after_softmax,
  // the window
  no_window,
  narrow,         // |j − p| < w
  wide,           // |j − p| ≤ w + 1
  half_open,      // −w ≤ j − p < w
  open_at_start,  // −w < j − p ≤ w
  rounded_down,   // ⌊w⌋
  rounded_up,
  doubled,  // |j − p| ≤ 2 w
  halved,   // |j − p| ≤ w/2
  past_only,
  future_only,
  zero_outside,  // energies outside the window become 0
  cut_afterwards,
  // the centre
  too_early,
  too_late,
  step_ignored,  // p = 0
  from_the_end,  // p = S − 1 − t
  not_clamped,
  clamped_late,  // limits p to S instead of S − 1
  batch_length,  // uses T instead of S
  first_length,  // uses the S of the first sentence
  // eq. 9
  last_position,  // (S − 1) σ(…)
  capped,         // limits p to S − 1
  no_length,      // σ(…)
  no_sigmoid,
  no_inner_tanh,
  rounded,
  rounded_p_down,
  // eq. 10
  no_gaussian,
  wide_gaussian,  // σ = w
  sigma_1,
  sigma_whole,  // σ = ⌊w/2⌋
  sigma_root,   // σ² = w/2
  distance_not_squared,
  narrow_gaussian,        // σ² instead of 2σ²
  two_sigma_squared,      // (2σ)² instead of 2σ²
  window_around_rounded,  // the window is around the rounded p, the Gaussian around p
  window_around_rounded_down,
  rising_gaussian,  // exp(+…)
  gaussian_on_energies,
  renormalised,
  gaussian_too,  // local-m with the Gaussian of local-p
};

struct Known {
  Fault fault;
  exercise::Mistake mistake;
};

/// The faults of local-m or of local-p. If several explain the weights, the first of them is reported.
std::vector<Known> known_faults(bool predictive);

}  // namespace local
