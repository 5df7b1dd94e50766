#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus {

/// How gradients are checked. Let y_j be the elements of f's result, and r_j a random incoming gradient for
/// each y_j. The numeric derivative of Σ_j r_j y_j with respect to an element x is Σ_j r_j D_j. D_j is the
/// 4-point central difference of y_j, (y_j(x−2h) − 8 y_j(x−h) + 8 y_j(x+h) − y_j(x+2h)) / 12h; its error is
/// of order h⁴. Each y_j has its own difference, so a y_j that does not depend on x adds no rounding error.
/// The rounding error is at most
///
///     u = 16 ε Σ_j (1.5 |r_j y_j| + |x r_j D_j|) / h        over the y_j that x changes, with ε = 2⁻⁵²
///
/// A step h confirms a gradient if |analytic − numeric| ≤ atol + rtol·|numeric| + u, and if u is small:
/// u ≤ max(|analytic| / 1000, rtol · the tensor's largest gradient, atol). In u, |y_j| is the largest
/// magnitude of y_j at x and at the four other places. Let s = Σ_j |r_j y_j| / max(1, |x|), over the same
/// y_j as in u. If |analytic| ≤ ε·s, the gradient may be only rounding. The largest gradient is then replaced
/// by s if s is larger.
///
/// The first step is h = step·max(1, |x|). If that step does not confirm the gradient, the difference may be
/// inaccurate: f curves too strongly for h, x ± 2h leaves f's domain, f has a kink, or u is large. The check
/// then tries up to 11 smaller steps, h/9, h/81 …, and stops when u exceeds |analytic − numeric| / 10. Unless
/// the first two steps already show that the gradient is wrong, the check finally tries larger steps, up to
/// 729h.
/// The gradient is right if one step confirms it. It is wrong if two successive steps agree on another value,
/// and neither rounding nor a kink explains the difference. (At a kink, f's slopes left and right of x stay
/// apart as the step shrinks.) Otherwise the element is not judged.
///
/// With several tensors, the check repeats backward() for each tensor: while only this tensor requires a
/// gradient, and while only the other tensors do. Elements whose gradient then differs are judged again.
struct GradcheckOptions {
  double step = 1e-3;
  double rtol = 1e-6;
  double atol = 0;            ///< raise it if rounding inside f is large relative to f's result
  std::uint64_t seed = 1;     ///< of the random incoming gradient; with ones, softmax's gradient would be 0
  std::int64_t elements = 0;  ///< number checked per tensor, drawn with `seed`; 0: all elements
};

/// An element that could not be judged, with its estimates.
struct GradcheckDoubt {
  std::vector<std::int64_t> index;
  double analytic = 0;          ///< the gradient by backward()
  double coarse = 0, fine = 0;  ///< numeric gradients from two successive steps
  double left = 0, right = 0;   ///< f's slopes on the two sides of x, from the smaller step
  double rounding = 0;          ///< bound of the rounding error in `fine`
};

/// The result for one input or parameter.
struct GradcheckEntry {
  std::string name;
  Shape shape;
  std::vector<std::int64_t> worst;  ///< the index of the element with the largest error relative to `allowed`
  double analytic = 0;              ///< the gradient by backward()
  double numeric = 0;               ///< this element's gradient by differences
  double error = 0;                 ///< |analytic − numeric|; may be NaN
  double allowed = 0;               ///< atol + rtol·|numeric| + u
  std::int64_t wrong = 0;           ///< the number of wrong elements
  std::string needing;              ///< the case in which gradients are wrong, as text; empty: in every case
  std::int64_t not_judged = 0;      ///< the number of elements that could not be judged
  GradcheckDoubt first_open;        ///< the first element that could not be judged
  std::int64_t checked = 0;         ///< the number of elements checked: all, or GradcheckOptions::elements
  bool all_zero = false;            ///< true if the gradients of all checked elements are exactly 0

  std::int64_t judged() const { return checked - not_judged; }
  /// True if no element is wrong, and at least half of the checked elements were judged.
  bool passed() const { return wrong == 0 && judged() >= not_judged; }
};

struct GradcheckReport {
  std::vector<GradcheckEntry> entries;
  /// True if every entry passed.
  bool passed() const;
  explicit operator bool() const { return passed(); }
};

/// Prints whether the check passed, then one line per tensor: its name, its shape, and the worst element with
/// both gradients. If elements could not be judged, up to two more lines describe the first of them. Advice
/// follows if fewer than half of the elements were judged, or if every gradient is 0.
std::ostream& operator<<(std::ostream& out, const GradcheckReport& report);

/// Checks df/d(input) for every floating-point input, in double precision. f is called with f64 copies of
/// these inputs. f may return a tensor of any shape; its incoming gradient is random.
///
///     std::cout << gradcheck([](auto x) { return tanh(matmul(x[0], x[1])); }, {a, b});
///
/// @throws Error when f's result is not f64, needs no gradient, or differs between two calls on the same
/// input. Also throws Error when options.elements is negative.
GradcheckReport gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                          const std::vector<Tensor>& inputs, const GradcheckOptions& options = {});

/// Checks df/d(leaf) for a function f without arguments, which captures the leaves. `leaves` must be f64 and
/// require gradients. The check changes their values and restores them, and clears their gradients.
GradcheckReport gradcheck(const std::function<Tensor()>& f, const NamedTensors& leaves,
                          const GradcheckOptions& options = {});

/// Checks the gradients of `leaves`, which f captures, and of f's floating-point inputs. The report lists the
/// leaves before the inputs. Inputs may be undefined.
GradcheckReport gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                          const std::vector<Tensor>& inputs, NamedTensors leaves,
                          const GradcheckOptions& options);

}  // namespace gradus
#pragma GCC visibility pop
