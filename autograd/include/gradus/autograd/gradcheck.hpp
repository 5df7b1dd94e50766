#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus {

/// How gradients are checked. The result of f has elements y_j, and a random gradient r_j comes into each.
/// The numeric derivative of Σ_j r_j y_j along one element x is Σ_j r_j D_j, where D_j is the 4-point central
/// difference of y_j alone, (y_j(x−2h) − 8 y_j(x−h) + 8 y_j(x+h) − y_j(x+2h)) / 12h, whose error is of order
/// h⁴. So an element of the result that x does not change adds no rounding. What rounding may add is bounded
/// by
///
///     u = 16 ε Σ_j (1.5 |r_j y_j| + |x r_j D_j|) / h        over the y_j that x changes, with ε = 2⁻⁵²
///
/// A gradient is right where |analytic − numeric| ≤ atol + rtol·|numeric| + u, with u at most a thousandth of
/// the gradient or rtol of the tensor's largest one.
///
/// The first step is h = step·max(1, |x|). Where it does not confirm the gradient, the difference itself may
/// be at fault: f is curved too strongly for h, x ± 2h leaves f's domain, f has a kink, or u is large. So
/// smaller steps, h/9, h/81 and so on, are tried until u could explain the error, and then larger ones, up to
/// 729h. The gradient is right when one of them confirms it, and wrong when two successive ones agree. An
/// element is not judged when none does, or when f's slopes on the two sides of x stay apart as the step
/// shrinks.
///
/// The gradients are computed again with each tensor alone requiring one, and with all but one. Elements
/// whose gradient changes are judged again.
struct GradcheckOptions {
  double step = 1e-3;
  double rtol = 1e-6;
  double atol = 0;  ///< for rounding inside f that the size of its result does not show
  std::uint64_t seed =
      1;  ///< of the incoming gradient, which is random: under a plain sum, softmax's gradient is 0
};

/// An element that could not be judged, and what differences say of it.
struct GradcheckDoubt {
  std::vector<std::int64_t> index;
  double analytic = 0;          ///< its gradient by backward()
  double coarse = 0, fine = 0;  ///< the numeric gradient by two successive steps
  double left = 0, right = 0;   ///< f's slopes on the two sides of x, by the smaller step
  double rounding = 0;          ///< the most that rounding may have added to `fine`
};

/// What was found for one input or parameter.
struct GradcheckEntry {
  std::string name;
  Shape shape;
  std::vector<std::int64_t>
      worst;               ///< the index of the element with the largest error, relative to what is allowed
  double analytic = 0;     ///< its gradient by backward()
  double numeric = 0;      ///< its gradient by differences
  double error = 0;        ///< |analytic − numeric|, NaN included
  double allowed = 0;      ///< atol + rtol·|numeric| + u
  std::int64_t wrong = 0;  ///< how many elements are off by more than is allowed
  std::string needing;     ///< for which tensors the gradient is wrong, when it is right for all at once
  std::int64_t not_judged = 0;  ///< how many elements could not be judged
  GradcheckDoubt first_open;    ///< the first of these
  bool all_zero = false;        ///< every gradient is exactly 0: right perhaps, but then nothing was checked

  std::int64_t judged() const { return shape.numel() - not_judged; }
  /// No element is wrong, and at least half were judged.
  bool passed() const { return wrong == 0 && judged() >= not_judged; }
};

struct GradcheckReport {
  std::vector<GradcheckEntry> entries;
  /// Every entry passed.
  bool passed() const;
  explicit operator bool() const { return passed(); }
};

/// A line for each tensor: name, shape, worst element with its analytic and numeric value, the first that
/// could not be judged, and what to make of it.
std::ostream& operator<<(std::ostream& out, const GradcheckReport& report);

/// Checks d f / d inputs for every element of every floating input, in double: f is called on f64 copies of
/// the inputs, which are left alone. f may return a tensor of any shape; a random gradient comes in from it.
///
///     std::cout << gradcheck([](auto x) { return tanh(matmul(x[0], x[1])); }, {a, b});
///
/// @throws Error when f's result is not f64 or needs no gradient, or differs between two calls on the same
/// input.
GradcheckReport gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                          const std::vector<Tensor>& inputs, const GradcheckOptions& options = {});

/// The same for a function of tensors that it holds itself: `leaves` are changed while it runs, and put back.
/// They must be f64 and have requires_grad; their gradients are cleared.
GradcheckReport gradcheck(const std::function<Tensor()>& f, const NamedTensors& leaves,
                          const GradcheckOptions& options = {});

/// Both in one: `leaves`, which f holds, come first in the report, then the floating inputs. Inputs may be
/// undefined.
GradcheckReport gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                          const std::vector<Tensor>& inputs, NamedTensors leaves,
                          const GradcheckOptions& options);

}  // namespace gradus
#pragma GCC visibility pop
