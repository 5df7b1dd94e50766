#include <gradus/autograd/ops.hpp>

#include <limits>

#include "answer.hpp"

using namespace gradus;

namespace {

// Correct versions of the four functions, written differently from the solution.

Tensor read_backward(const Tensor& x, const Tensor& W, const Tensor& U) {
  std::vector<Tensor> states(static_cast<std::size_t>(x.size(0)));
  Tensor h;
  for (std::size_t t = states.size(); t-- > 0;) {
    const Tensor a = linear(x[static_cast<std::int64_t>(t)], W);
    h = states[t] = tanh(h.defined() ? a + linear(h, U) : a);
  }
  return stack(states);
}

Tensor energies(const Tensor& s, const Tensor& h, const Tensor& W_a, const Tensor& U_a, const Tensor& v_a) {
  const Tensor inner = tanh(unsqueeze(linear(s, W_a), 0) + linear(h, U_a));
  return squeeze(matmul(inner, unsqueeze(v_a, 1)), 2);
}

Tensor real(const Tensor& e, const Tensor& lengths) {
  return less(unsqueeze(arange(e.size(0)), 1), lengths).to(e.dtype());
}

Tensor weights(const Tensor& e, const Tensor& lengths) {
  return transpose(masked_softmax(transpose(e, 0, 1), lengths), 0, 1);
}

using Parameters = std::vector<Tensor>;
using Loss = std::function<Tensor()>;

void descend(const Parameters& parameters, const Loss& loss, double rate) {
  const std::vector<Tensor> gradients = grad({loss()}, parameters);
  for (std::size_t k = 0; k < parameters.size(); ++k)
    Tensor(parameters[k]).replace(parameters[k].detach() - rate * gradients[k]);
}

// An attempt that starts from the correct functions. `change` replaces some of them.
exercise::Attempt attempt(const std::string& name, const std::string& mistake,
                          const std::function<void(BugHunt&)>& change) {
  BugHunt answer{read_backward, energies, weights, descend};
  change(answer);
  return {name, mistake, bug_hunt_exercise(answer)};
}

exercise::Attempt reading(const std::string& name, const std::string& mistake,
                          const decltype(BugHunt::read_backward)& f) {
  return attempt("read_backward: " + name, mistake, [&](BugHunt& answer) { answer.read_backward = f; });
}

exercise::Attempt asking(const std::string& name, const std::string& mistake,
                         const decltype(BugHunt::energies)& f) {
  return attempt("energies: " + name, mistake, [&](BugHunt& answer) { answer.energies = f; });
}

exercise::Attempt looking(const std::string& name, const std::string& mistake,
                          const decltype(BugHunt::weights)& f) {
  return attempt("weights: " + name, mistake, [&](BugHunt& answer) { answer.weights = f; });
}

exercise::Attempt stepping(const std::string& name, const std::string& mistake,
                           const decltype(BugHunt::descend)& f) {
  return attempt("descend: " + name, mistake, [&](BugHunt& answer) { answer.descend = f; });
}

void move(const Parameters& parameters, double rate) {
  for (Tensor theta : parameters) {
    const Tensor g = theta.grad();
    if (!g.defined()) continue;
    for (std::int64_t i = 0; i < theta.numel(); ++i)
      theta.mutable_values<double>()[static_cast<std::size_t>(i)] -=
          rate * g.values<double>()[static_cast<std::size_t>(i)];
  }
}

void clear(const Parameters& parameters) {
  for (Tensor theta : parameters) theta.zero_grad();
}

}  // namespace

int main() {
  const double infinity = std::numeric_limits<double>::infinity();
  return exercise::bank({
      attempt("all four right", "", [](BugHunt&) {}),
      reading("the state stored before its update", "stored-before",
              [](const Tensor& x, const Tensor& W, const Tensor& U) {
                return pad(read_backward(x, W, U).slice(1, x.size(0)), 0, 0, 1);
              }),
      reading(
          "unchanged", "to do",
          [](const Tensor& x, const Tensor& W, const Tensor& U) { return flip(read_backward(x, W, U), 0); }),
      reading("reads forward", "forward",
              [](const Tensor& x, const Tensor& W, const Tensor& U) {
                return flip(read_backward(flip(x, 0), W, U), 0);
              }),
      reading(
          "input reversed", "forward",
          [](const Tensor& x, const Tensor& W, const Tensor& U) { return read_backward(flip(x, 0), W, U); }),
      reading(
          "reversed along the batch", "other-axis",
          [](const Tensor& x, const Tensor& W, const Tensor& U) { return flip(read_backward(x, W, U), 1); }),
      reading("only the last state", "shape",
              [](const Tensor& x, const Tensor& W, const Tensor& U) { return read_backward(x, W, U)[0]; }),
      reading("detached", "gradient",
              [](const Tensor& x, const Tensor& W, const Tensor& U) {
                return read_backward(x, W.detach(), U) + 0.0 * sum(W);
              }),
      asking("unchanged", "to do",
             [](const Tensor& s, const Tensor& h, const Tensor& W, const Tensor& U, const Tensor& v) {
               return sum(v * (linear(s, W) + linear(h, U)), 2);
             }),
      asking("tanh outside", "tanh-outside",
             [](const Tensor& s, const Tensor& h, const Tensor& W, const Tensor& U, const Tensor& v) {
               return tanh(sum(v * (linear(s, W) + linear(h, U)), 2));
             }),
      asking("tanh of the product", "tanh-of-product",
             [](const Tensor& s, const Tensor& h, const Tensor& W, const Tensor& U, const Tensor& v) {
               return sum(tanh(v * (linear(s, W) + linear(h, U))), 2);
             }),
      asking("separate tanhs", "tanh-apart",
             [](const Tensor& s, const Tensor& h, const Tensor& W, const Tensor& U, const Tensor& v) {
               return sum(v * (tanh(linear(s, W)) + tanh(linear(h, U))), 2);
             }),
      asking("tanh only of the query", "tanh-apart",
             [](const Tensor& s, const Tensor& h, const Tensor& W, const Tensor& U, const Tensor& v) {
               return sum(v * (tanh(linear(s, W)) + linear(h, U)), 2);
             }),
      asking("mean over A", "mean",
             [](const Tensor& s, const Tensor& h, const Tensor& W, const Tensor& U, const Tensor& v) {
               return mean(v * tanh(linear(s, W) + linear(h, U)), 2);
             }),
      asking("another function", "sigmoid",
             [](const Tensor& s, const Tensor& h, const Tensor& W, const Tensor& U, const Tensor& v) {
               return sum(v * sigmoid(linear(s, W) + linear(h, U)), 2);
             }),
      looking("unchanged", "to do",
              [](const Tensor& e, const Tensor& lengths) { return softmax(e * real(e, lengths), 0); }),
      looking("softmax by hand, −1e300 at pads", "",
              [](const Tensor& e, const Tensor& lengths) {
                const Tensor low = masked_fill(e, equal(real(e, lengths), zeros({}, e.dtype())), -1e300);
                const Tensor some = exp(low - max(low, 0, true));
                return some / sum(some, 0, true);
              }),
      looking("masked after the softmax", "masked-after",
              [](const Tensor& e, const Tensor& lengths) { return softmax(e, 0) * real(e, lengths); }),
      looking("multiplied by the mask before and after", "masked-after",
              [](const Tensor& e, const Tensor& lengths) {
                return softmax(e * real(e, lengths), 0) * real(e, lengths);
              }),
      looking("not low enough", "only-lower",
              [](const Tensor& e, const Tensor& lengths) {
                return softmax(e - 100.0 * (1.0 - real(e, lengths)), 0);
              }),
      looking("softmax over the batch", "batch-axis",
              [=](const Tensor& e, const Tensor& lengths) {
                const Tensor pads = equal(real(e, lengths), zeros({}, e.dtype()));
                return masked_fill(softmax(masked_fill(e, pads, -1e300), 1), pads, 0);
              }),
      looking("maximum over the pads too", "max-over-pads",
              [](const Tensor& e, const Tensor& lengths) {
                const Tensor some = exp(e - max(e, 0, true)) * real(e, lengths);
                return some / sum(some, 0, true);
              }),
      looking("exponent without the maximum", "overflow",
              [](const Tensor& e, const Tensor& lengths) {
                const Tensor some = exp(e) * real(e, lengths);
                return some / sum(some, 0, true);
              }),
      looking("tokens masked", "not-a-number",
              [=](const Tensor& e, const Tensor& lengths) {
                return softmax(masked_fill(e, real(e, lengths).to(Dtype::i64), -infinity), 0);
              }),
      stepping("unchanged", "to do",
               [](const Parameters& parameters, const Loss& loss, double rate) {
                 loss().backward();
                 move(parameters, rate);
               }),
      stepping("cleared at the end", "",
               [](const Parameters& parameters, const Loss& loss, double rate) {
                 loss().backward();
                 move(parameters, rate);
                 clear(parameters);
               }),
      stepping("cleared too late", "no-step",
               [](const Parameters& parameters, const Loss& loss, double rate) {
                 loss().backward();
                 clear(parameters);
                 move(parameters, rate);
               }),
      stepping("two steps", "factor",
               [](const Parameters& parameters, const Loss& loss, double rate) {
                 descend(parameters, loss, rate);
                 descend(parameters, loss, rate);
               }),
      stepping("gradient averaged", "factor",
               [](const Parameters& parameters, const Loss& loss, double rate) {
                 descend(parameters, loss, rate / static_cast<double>(parameters.size()));
               }),
      stepping("one parameter cleared", "one-cleared",
               [](const Parameters& parameters, const Loss& loss, double rate) {
                 clear({parameters[0]});
                 loss().backward();
                 move(parameters, rate);
               }),
      stepping("one parameter after the other", "one-by-one",
               [](const Parameters& parameters, const Loss& loss, double rate) {
                 for (const Tensor& theta : parameters) descend({theta}, loss, rate);
               }),
      reading("first state kept between calls", "not-the-same-twice",
              [kept = Tensor()](const Tensor& x, const Tensor& W, const Tensor& U) mutable {
                std::vector<Tensor> states(static_cast<std::size_t>(x.size(0)));
                Tensor h = kept.defined() ? kept : zeros({x.size(1), U.size(0)}, x.dtype());
                for (std::size_t t = states.size(); t-- > 0;)
                  h = states[t] = tanh(linear(x[static_cast<std::int64_t>(t)], W) + linear(h, U));
                kept = h.detach();
                return stack(states);
              }),
      reading("U transposed", "transposed",
              [](const Tensor& x, const Tensor& W, const Tensor& U) {
                return read_backward(x, W, transpose(U, 0, 1));
              }),
      asking("query times keys", "product",
             [](const Tensor& s, const Tensor& h, const Tensor& W_a, const Tensor& U_a, const Tensor& v_a) {
               return sum(v_a * tanh(linear(s, W_a) * linear(h, U_a)), 2);
             }),
      asking("without the query", "no-query",
             [](const Tensor&, const Tensor& h, const Tensor&, const Tensor& U_a, const Tensor& v_a) {
               return sum(v_a * tanh(linear(h, U_a)), 2);
             }),
      looking("energies of 0 masked", "zeros-masked",
              [](const Tensor& e, const Tensor& lengths) {
                const Tensor kept = e * real(e, lengths), none = zeros({}, e.dtype());
                return softmax(masked_fill(kept, equal(kept, none), -std::numeric_limits<double>::infinity()),
                               0);
              }),
      looking("one pad too many", "one-too-many",
              [](const Tensor& e, const Tensor& lengths) {
                const Tensor more = (lengths.to(e.dtype()) + 1.0).to(Dtype::i64);
                return weights(e, minimum(more.to(e.dtype()), full({}, 5, e.dtype())).to(Dtype::i64));
              }),
      looking("over the sentences, pads included", "batch-axis",
              [](const Tensor& e, const Tensor& lengths) { return softmax(e, 1) * real(e, lengths); }),
      looking("pads filled with −10⁷", "only-lower",
              [](const Tensor& e, const Tensor& lengths) {
                const Tensor kept = real(e, lengths);
                return softmax(masked_fill(e, equal(kept, zeros({}, e.dtype())), -1e7), 0);
              }),
      reading("products of [x; h] and [W U]", "",
              [](const Tensor& x, const Tensor& W, const Tensor& U) {
                Tensor h = zeros({x.size(1), U.size(0)}, x.dtype());
                std::vector<Tensor> states(static_cast<std::size_t>(x.size(0)));
                for (std::size_t t = states.size(); t-- > 0;)
                  h = states[t] =
                      tanh(linear(concat({x[static_cast<std::int64_t>(t)], h}, 1), concat({W, U}, 1)));
                return stack(states);
              }),
      reading("h = 0 at each token", "no-state",
              [](const Tensor& x, const Tensor& W, const Tensor&) { return tanh(linear(x, W)); }),
  });
}
