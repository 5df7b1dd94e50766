#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus {

/// How gradients are checked. The numeric derivative is the 4-point central difference
/// (f(x−2h) − 8 f(x−h) + 8 f(x+h) − f(x+2h)) / 12h, whose error is of order h⁴; a gradient passes where
/// |analytic − numeric| ≤ atol + rtol·|numeric|.
///
/// Where it does not, the difference itself may be at fault: f is curved too strongly for h, x ± 2h leaves
/// f's domain, or f has a kink. So smaller steps, h/10 and then h/100, are tried before the gradient is
/// blamed. It is right when one of them confirms it, and wrong when two successive ones agree. An element
/// counts as not smooth, and is not judged, when they do not, or when f's slopes on the two sides of x stay
/// apart as the step shrinks; either by at least a tenth of the error, so that it may explain it.
struct GradcheckOptions {
  double step = 1e-3;  ///< h
  double rtol = 1e-6;
  double atol = 1e-9;
  std::uint64_t seed =
      1;  ///< of the incoming gradient, which is random: under a plain sum, softmax's gradient is 0
};

/// An element at which f is not smooth: differences say nothing of its gradient.
struct GradcheckKink {
  std::vector<std::int64_t> index;
  double coarse = 0, fine = 0;  ///< the numeric gradient by two successive steps
  double left = 0, right = 0;   ///< f's slopes on the two sides of x, by the smaller step
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
  double allowed = 0;      ///< atol + rtol·|numeric|
  std::int64_t wrong = 0;  ///< how many elements are off by more than is allowed
  std::int64_t not_smooth = 0;  ///< how many elements could not be judged
  GradcheckKink first_kink;     ///< the first of these
  bool all_zero = false;        ///< every gradient is exactly 0: right perhaps, but then nothing was checked

  std::int64_t judged() const { return shape.numel() - not_smooth; }
  /// No element is wrong, and one at least was judged, unless there are none: f that is smooth nowhere was
  /// not checked.
  bool passed() const { return wrong == 0 && (judged() > 0 || shape.numel() == 0); }
};

struct GradcheckReport {
  std::vector<GradcheckEntry> entries;
  /// Every entry passed.
  bool passed() const;
  explicit operator bool() const { return passed(); }
};

/// A line for each tensor: name, shape, worst element with its analytic and numeric value, the first that is
/// not smooth, and what to make of it.
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
/// They must be f64 and have requires_grad; their gradients are cleared first.
GradcheckReport gradcheck(const std::function<Tensor()>& f, const NamedTensors& leaves,
                          const GradcheckOptions& options = {});

/// Both in one: `leaves`, which f holds, come first in the report, then the floating inputs. Inputs may be
/// undefined.
GradcheckReport gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                          const std::vector<Tensor>& inputs, NamedTensors leaves,
                          const GradcheckOptions& options);

}  // namespace gradus
#pragma GCC visibility pop
