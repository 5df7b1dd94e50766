#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/tape.hpp>

#include <span>

#include "answer.hpp"

using namespace gradus;

namespace {

// Correct versions that differ from the solution.
Tensor sum_to(const Tensor& g, const Shape& shape) {
  std::vector<int> kept;
  const int more = g.shape().rank() - shape.rank();
  for (int axis = 0; axis < g.shape().rank(); ++axis)
    if (axis < more || shape[axis - more] == 1) kept.push_back(axis);
  if (kept.empty()) return g;
  return sum(g, Axes(kept)).reshape(shape);
}

Tensor value(const Tensor& a, const Tensor& b) {
  const NoGrad off;
  return maximum(a, b) + log(1.0 + exp(-abs(a - b)));
}

using F = const Tensor&;

exercise::Attempt summing(const std::string& name, const std::string& mistake,
                          const decltype(LogAddExp::sum_to)& f) {
  return {"sum_to: " + name, mistake,
          log_add_exp_exercise({f, [](F a, F b) {
                                  return record("log_add_exp", value(a, b), {a, b}, {a, b}, [](Gradients& g) {
                                    const Tensor d = g.saved(0) - g.saved(1);
                                    if (g.wants(0)) g.add(0, g.out() * sigmoid(d));
                                    if (g.wants(1)) g.add(1, g.out() * sigmoid(-d));
                                  });
                                }})};
}

exercise::Attempt whole(const std::string& name, const std::string& mistake,
                        const decltype(LogAddExp::log_add_exp)& f) {
  return {name, mistake, log_add_exp_exercise({sum_to, f})};
}

// An attempt with right values and the backward function `f`. Its operation saves a and b for `f`.
exercise::Attempt backward(const std::string& name, const std::string& mistake, const Backward& f) {
  return whole(name, mistake,
               [f](F a, F b) { return record("log_add_exp", value(a, b), {a, b}, {a, b}, f); });
}

Tensor slope(const Gradients& g, int i) { return sigmoid(g.saved(i) - g.saved(1 - i)); }

// A backward function that adds f(g, i) to the gradient of each input i that needs a gradient.
Backward both(const std::function<Tensor(Gradients& g, int i)>& f) {
  return [f](Gradients& g) {
    for (const int i : {0, 1})
      if (g.wants(i)) g.add(i, f(g, i));
  };
}

}  // namespace

int main() {
  return exercise::bank({
      summing("all axes at once, summed by add()", "", sum_to),
      whole("saves the slopes", "",
            [](F a, F b) {
              const Tensor y = value(a, b);
              const Tensor p = exp(a.detach() - y), q = exp(b.detach() - y);
              return record("log_add_exp", y, {a, b}, {p, q},
                            both([](Gradients& g, int i) { return g.out() * g.saved(i); }));
            }),
      whole("saves the result", "",
            [](F a, F b) {
              const Tensor y = value(a, b);
              return record("lae", y, {a, b}, {a, b, y}, both([](Gradients& g, int i) {
                              return sum_to(g.out() * exp(g.saved(i) - g.saved(2)), g.saved(i).shape());
                            }));
            }),
      summing("mean", "mean",
              [](F g, const Shape& shape) {
                return sum_to(g, shape) *
                       (static_cast<double>(shape.numel()) / static_cast<double>(g.numel()));
              }),
      summing("sums only in front", "axis-left",
              [](F g, const Shape& shape) {
                Tensor s = g;
                while (s.shape().rank() > shape.rank()) s = sum(s, 0);
                return s;
              }),
      summing("sums the last axes", "from-the-end",
              [](F g, const Shape& shape) {
                Tensor s = g;
                while (s.shape().rank() > shape.rank()) s = sum(s, -1);
                return s;
              }),
      summing("axes of size 1 are lost", "not-kept",
              [](F g, const Shape& shape) {
                Tensor s = g;
                while (s.shape().rank() > shape.rank()) s = sum(s, 0);
                for (int axis = shape.rank() - 1; axis >= 0; --axis)
                  if (shape[axis] == 1) s = sum(s, axis);
                return s;
              }),
      summing("sums everything", "shape", [](F g, const Shape&) { return sum(g); }),
      summing("takes a slice", "slice",
              [](F g, const Shape& shape) {
                Tensor s = g;
                while (s.shape().rank() > shape.rank()) s = s[0];
                for (int axis = 0; axis < shape.rank(); ++axis)
                  if (shape[axis] == 1) s = s.slice(0, 1, axis);
                return s;
              }),
      summing("reshaped", "error", [](F g, const Shape& shape) { return g.reshape(shape); }),
      whole("composed, not recorded", "not-one-node",
            [](F a, F b) { return maximum(a, b) + softplus(-abs(a - b)); }),
      whole("overflows", "overflow",
            [](F a, F b) {
              const Tensor y = log(exp(a.detach()) + exp(b.detach()));
              return record("log_add_exp", y, {a, b}, {a, b},
                            both([](Gradients& g, int i) { return g.out() * slope(g, i); }));
            }),
      whole("only the maximum", "maximum", [](F a, F b) { return maximum(a, b); }),
      whole("no absolute value", "no-absolute", [](F a, F b) { return maximum(a, b) + softplus(a - b); }),
      whole("sign of the exponent", "no-absolute",
            [](F a, F b) { return maximum(a, b) + softplus(abs(a - b)); }),
      whole("no record", "not-recorded", [](F a, F b) { return value(a, b); }),
      whole("one input", "one-input",
            [](F a, F b) {
              return record("log_add_exp", value(a, b), {a}, {a, b},
                            [](Gradients& g) { g.add(0, g.out() * sigmoid(g.saved(0) - g.saved(1))); });
            }),
      whole("recorded twice", "not-one-node",
            [](F a, F b) {
              return record("log_add_exp", maximum(a, b) + softplus(-abs(a - b)), {a, b}, {a, b},
                            both([](Gradients& g, int i) { return g.out() * slope(g, i); }));
            }),
      whole("always needs a gradient", "records-always",
            [](F a, F b) {
              Tensor y = value(a, b);
              if (!a.requires_grad() && !b.requires_grad()) return y.set_requires_grad();
              return record("log_add_exp", y, {a, b}, {a, b},
                            both([](Gradients& g, int i) { return g.out() * slope(g, i); }));
            }),
      backward("g.out() forgotten", "ignores-out",
               both([](Gradients& g, int i) { return sum_to(slope(g, i), g.saved(i).shape()); })),
      backward("0 where the inputs are equal", "equal-inputs", both([](Gradients& g, int i) {
                 const Tensor same = equal(g.saved(0), g.saved(1)).to(g.out().dtype());
                 return g.out() * slope(g, i) * (1.0 - same);
               })),
      backward("summed before the product", "summed-apart", both([](Gradients& g, int i) {
                 const Shape shape = g.saved(i).shape();
                 return sum_to(g.out(), shape) * sum_to(slope(g, i), shape);
               })),
      backward("exchanged", "swapped", both([](Gradients& g, int i) { return g.out() * slope(g, 1 - i); })),
      backward("whole gradient for both", "whole", both([](Gradients& g, int) { return g.out(); })),
      backward("e^a", "unnormalised", both([](Gradients& g, int i) { return g.out() * exp(g.saved(i)); })),
      backward("σ'", "sigmoid-prime",
               both([](Gradients& g, int i) { return g.out() * slope(g, i) * (1.0 - slope(g, i)); })),
      backward("minus", "factor", both([](Gradients& g, int i) { return -(g.out() * slope(g, i)); })),
      backward("only a", "no-gradient",
               [](Gradients& g) {
                 if (g.wants(0)) g.add(0, g.out() * slope(g, 0));
               }),
      backward("does not ask", "error",
               [](Gradients& g) {
                 for (const int i : {0, 1}) g.add(i, g.out() * slope(g, i));
               }),
      backward("b only if a, too", "gradient",
               [](Gradients& g) {
                 if (!g.wants(0)) return;
                 g.add(0, g.out() * slope(g, 0));
                 if (g.wants(1)) g.add(1, g.out() * slope(g, 1));
               }),
      backward("quotient of exponentials", "backward-overflow", both([](Gradients& g, int i) {
                 return g.out() * exp(g.saved(i)) / (exp(g.saved(0)) + exp(g.saved(1)));
               })),
      backward("changes the saved value", "changes-its-input", both([](Gradients& g, int i) {
                 const Tensor gradient = g.out() * slope(g, i);
                 if (i == 1) Tensor(g.saved(0)).mutable_values<double>()[0] += 1;
                 return gradient;
               })),
      whole("captured, not saved", "captured",
            [](F a, F b) {
              return record("log_add_exp", value(a, b), {a, b}, {}, [a, b](Gradients& g) {
                const Tensor d = a.detach() - b.detach();
                if (g.wants(0)) g.add(0, g.out() * sigmoid(d));
                if (g.wants(1)) g.add(1, g.out() * sigmoid(-d));
              });
            }),
      whole("captures its own result", "never-freed",
            [](F a, F b) {
              const Tensor y = value(a, b);
              return record("log_add_exp", y, {a, b}, {a, b}, [y](Gradients& g) {
                for (const int i : {0, 1})
                  if (g.wants(i)) g.add(i, g.out() * exp(g.saved(i) - y.detach()));
              });
            }),
      whole("changes a", "changes-its-input",
            [](F a, F b) {
              const Tensor y = value(a, b);
              Tensor(a).mutable_values<double>()[0] = 0;
              return y;
            }),
      whole("m = a", "one-for-maximum",
            [](F a, F b) {
              const Tensor y = [&] {
                const NoGrad off;
                return a + softplus(-abs(a - b));
              }();
              return record("log_add_exp", y, {a, b}, {a, b}, [](Gradients& g) {
                for (const int i : {0, 1})
                  if (g.wants(i)) g.add(i, g.out() * slope(g, i));
              });
            }),
      backward("gradient of the maximum", "of-maximum", both([](Gradients& g, int i) {
                 return g.out() * greater(g.saved(i), g.saved(1 - i)).to(g.out().dtype());
               })),
      backward("sign of the difference lost", "sign-of-difference",
               both([](Gradients& g, int) { return g.out() * sigmoid(-abs(g.saved(0) - g.saved(1))); })),
      backward("sigmoid of the input itself", "other-input-ignored",
               both([](Gradients& g, int i) { return g.out() * sigmoid(g.saved(i)); })),
      whole("captures copies", "",
            [](F a, F b) {
              return record("log_add_exp", value(a, b), {a, b}, {},
                            [x = a.detach().clone(), z = b.detach().clone()](Gradients& g) {
                              if (g.wants(0)) g.add(0, g.out() * sigmoid(x - z));
                              if (g.wants(1)) g.add(1, g.out() * sigmoid(z - x));
                            });
            }),
      summing("g itself if it has as many elements", "axis-left",
              [](F g, const Shape& shape) { return g.numel() == shape.numel() ? g : sum_to(g, shape); }),
      summing("reshaped where no axis is stretched", "",
              [](F g, const Shape& shape) {
                return g.numel() == shape.numel() ? g.reshape(shape) : sum_to(g, shape);
              }),
      backward("difference limited to ±30", "limited", both([](Gradients& g, int i) {
                 return g.out() * sigmoid(clamp(g.saved(i) - g.saved(1 - i), -30, 30));
               })),
      whole("one maximum for all elements", "one-maximum-for-all",
            [](F a, F b) {
              const Tensor x = a.detach(), z = b.detach(), m = max(maximum(x, z));
              return record("log_add_exp", m + log(exp(x - m) + exp(z - m)), {a, b}, {a, b},
                            both([](Gradients& g, int i) { return g.out() * slope(g, i); }));
            }),
      whole("the small term left out from 8 on", "term-cut",
            [](F a, F b) {
              const Tensor x = a.detach(), z = b.detach(), d = -abs(x - z);
              const Tensor y = maximum(x, z) + masked_fill(softplus(d), less(d, full({}, -8, d.dtype())), 0);
              return record("log_add_exp", y, {a, b}, {a, b},
                            both([](Gradients& g, int i) { return g.out() * slope(g, i); }));
            }),
      whole("the small term left out from 20 on", "term-cut",
            [](F a, F b) {
              const Tensor x = a.detach(), z = b.detach(), d = -abs(x - z);
              const Tensor y = maximum(x, z) + masked_fill(softplus(d), less(d, full({}, -20, d.dtype())), 0);
              return record("log_add_exp", y, {a, b}, {a, b},
                            both([](Gradients& g, int i) { return g.out() * slope(g, i); }));
            }),
  });
}
