// The known faults of local attention, with the messages and hints for the learner.

#include "local_faults.hpp"

namespace local {

namespace {

const std::vector<Known>& known_of_both() {
  // The first fault that explains the weights is reported. At the end of a source, batch_length and
  // clamped_late centre the window too far to the right. The window can then look too narrow. So both come
  // before `narrow`.
  static const std::vector<Known> known = {
      {Fault::batch_length,
       {"batch-length", "p_t is computed with T, the longest length of the batch.",
        "S is the length of the sentence: memory.lengths as (B, 1)."}},
      {Fault::first_length,
       {"one-length", "p_t is computed with the length of the first sentence.",
        "Each sentence has its own S: memory.lengths as (B, 1)."}},
      {Fault::clamped_late,
       {"past-the-end", "p_t reaches one position past the end of the source.",
        "Positions are numbered from 0: the last one is S − 1."}},
      {Fault::no_window,
       {"no-window", "The window is missing: all real positions have weight.",
        "Set the energies with |j − p_t| > w to −∞ before the softmax."}},
      {Fault::narrow,
       {"window-too-narrow", "The window lacks one position at both ends.",
        "[p_t − w, p_t + w] includes its ends: only |j − p_t| > w is outside."}},
      {Fault::half_open,
       {"half-open", "The window lacks its last position, p_t + w.",
        "[p_t − w, p_t + w] includes both ends."}},
      {Fault::open_at_start,
       {"half-open", "The window lacks its first position, p_t − w.",
        "[p_t − w, p_t + w] includes both ends."}},
      {Fault::rounded_down,
       {"window-rounded", "w was rounded to a whole number.", "w is a double, such as 2.5."}},
      {Fault::rounded_up,
       {"window-rounded", "w was rounded to a whole number.", "w is a double, such as 2.5."}},
      {Fault::wide,
       {"window-too-wide", "The window is too wide.", "Positions with |j − p_t| > w are outside."}},
      {Fault::past_only,
       {"one-sided", "The window ends at p_t.", "The window extends to both sides: j − p_t in [−w, w]."}},
      {Fault::future_only,
       {"one-sided", "The window begins at p_t.", "The window extends to both sides: j − p_t in [−w, w]."}},
      {Fault::zero_outside,
       {"zero-score", "The energies outside the window were set to 0, not the weights.",
        "e^0 = 1: set those energies to −∞."}},
      {Fault::cut_afterwards,
       {"window-after-softmax",
        "The softmax runs over the whole sentence, and the window is applied afterwards.",
        "Set the energies outside the window to −∞ before the softmax."}},
      {Fault::too_early,
       {"centre-too-early", "The window is centred one position too early.",
        "Positions j and steps t are both numbered from 0."}},
      {Fault::too_late,
       {"centre-too-late", "The window is centred one position too late.",
        "Positions j and steps t are both numbered from 0: the argument step of attend() is t."}},
      {Fault::no_mask,
       {"no-mask", "The pads got weight, as if they were tokens.",
        "masked_softmax(e, memory.lengths) excludes them."}},
      {Fault::mask_after_softmax,
       {"mask-after-softmax", "The weights were masked after the softmax.",
        "Mask the energies, so that the softmax runs over the real positions in the window."}},
  };
  return known;
}

// Near an end of a source, these faults can give the same weights as a fault above. So they are compared
// last.
const std::vector<Known>& known_at_last() {
  static const std::vector<Known> known = {
      {Fault::doubled,
       {"window-factor", "The window extends 2 w to each side.", "w is the half width: |j − p_t| ≤ w."}},
      {Fault::halved,
       {"window-factor", "The window extends w/2 to each side.", "w is the half width: |j − p_t| ≤ w."}}};
  return known;
}

const std::vector<Known>& known_of_m() {
  static const std::vector<Known> known = {
      {Fault::gaussian_too,
       {"gaussian", "The weights are multiplied by the Gaussian of local-p.",
        "Local-m has only the window: eq. 10 belongs to local-p."}},
      {Fault::step_ignored,
       {"step-ignored", "The window stays at the first position.",
        "Use the argument step of attend(). A counter in a member is wrong when beam search reorders rows."}},
      {Fault::from_the_end,
       {"from-the-end", "p_t is counted from the end of the source.",
        "p_t = min(t, S − 1): the first step is at position 0, whatever the task is."}},
      {Fault::not_clamped,
       {"past-the-end", "p_t moves past the end of the source.",
        "p_t = min(t, S − 1): the window stops at the last token."}}};
  return known;
}

const std::vector<Known>& known_of_p() {
  static const std::vector<Known> known = {
      {Fault::last_position, {"scaled-by-s-1", "p_t is computed with S − 1.", "Eq. 9: p_t = S · σ(…)."}},
      {Fault::capped,
       {"capped", "p_t is limited to S − 1.", "Eq. 9 has no limit: p_t may lie between S − 1 and S."}},
      {Fault::no_length, {"no-length", "The factor S is missing in p_t.", "Eq. 9: p_t = S · σ(…)."}},
      {Fault::no_sigmoid,
       {"no-sigmoid", "The sigmoid is missing in p_t.", "σ maps to (0, 1), a fraction of the sentence."}},
      {Fault::no_inner_tanh,
       {"no-tanh", "The tanh is missing in p_t.", "Eq. 9: p_t = S · σ(v_p · tanh(W_p s_t))."}},
      {Fault::rounded,
       {"rounded", "p_t is rounded to a whole position.",
        "p_t is a real number: rounding removes its gradient, so that W_p would not learn."}},
      {Fault::rounded_p_down,
       {"floored", "p_t is rounded down to a whole position.",
        "p_t is a real number: rounding removes its gradient, so that W_p would not learn."}},
      {Fault::no_gaussian,
       {"no-gaussian", "The Gaussian is missing.", "Eq. 10: the softmax times exp(−(j − p_t)² / 2σ²)."}},
      {Fault::wide_gaussian, {"sigma", "σ is w instead of w/2.", "Section 3.2: σ = w/2 (the paper: D/2)."}},
      {Fault::sigma_1, {"sigma", "σ is 1, whatever w is.", "σ = w/2, from the constructor's half_window."}},
      {Fault::sigma_whole, {"sigma", "σ = w/2 was rounded down.", "σ is a double: w = 2.5 gives σ = 1.25."}},
      {Fault::sigma_root,
       {"sigma", "The exponent is −(j − p_t)²/2σ: σ is not squared.", "σ = w/2, so that 2σ² = w²/2."}},
      {Fault::distance_not_squared,
       {"not-squared", "The exponent contains |j − p_t|, not its square.",
        "Eq. 10: exp(−(j − p_t)² / 2σ²)."}},
      {Fault::narrow_gaussian, {"no-two", "The exponent is −(j − p_t)²/σ².", "Eq. 10 divides by 2σ²."}},
      {Fault::two_sigma_squared,
       {"two-squared", "The exponent is −(j − p_t)²/(2σ)²: the 2 is squared, too.",
        "Eq. 10 divides by 2σ²."}},
      {Fault::window_around_rounded,
       {"rounded", "The window is centred on the rounded p_t.",
        "p_t is a real number, for the window, too."}},
      {Fault::window_around_rounded_down,
       {"rounded", "The window is centred on the rounded p_t.",
        "p_t is a real number, for the window, too."}},
      {Fault::rising_gaussian,
       {"gaussian-sign", "The Gaussian grows with the distance.", "The exponent is negative."}},
      {Fault::gaussian_on_energies,
       {"gaussian-before-softmax", "The Gaussian multiplies the energies.",
        "Eq. 10: it multiplies the weights, after the softmax."}},
      {Fault::renormalised,
       {"renormalised", "The weights were normalised again after the Gaussian.",
        "Eq. 10 ends with the product: the weights sum to less than 1. (Adding the Gaussian's logarithm to "
        "the energies renormalises, too.)"}},
  };
  return known;
}

}  // namespace

std::vector<Known> known_faults(bool predictive) {
  std::vector<Known> all = known_of_both();
  for (const auto* more : {predictive ? &known_of_p() : &known_of_m(), &known_at_last()})
    all.insert(all.end(), more->begin(), more->end());
  return all;
}

}  // namespace local
