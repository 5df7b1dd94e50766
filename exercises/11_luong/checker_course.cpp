#include <gradus/autograd/random.hpp>

#include <cmath>

#include "course.hpp"
#include "kit/expect.hpp"

namespace course {

namespace {

using exercise::parameter;
using exercise::Plain;
using gradus::nn::DecoderStep;

// The row of one sentence in an array (B, ·).
using Vector = std::vector<double>;

Vector times(const Plain& W, const Vector& x) {
  Vector y(static_cast<std::size_t>(W.size(0)));
  for (std::size_t o = 0; o < y.size(); ++o)
    for (std::size_t i = 0; i < x.size(); ++i) y[o] += W(o, i) * x[i];
  return y;
}

Vector beside(Vector a, const Vector& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Vector tanh_of(Vector x) {
  for (double& value : x) value = std::tanh(value);
  return x;
}

Vector log_of(Vector x) {
  for (double& value : x) value = std::log(value);
  return x;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// The row x[index…, :].
Vector row(const Plain& x, std::integral auto... index) {
  Vector out(static_cast<std::size_t>(x.size(x.shape().rank() - 1)));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = x(index..., i);
  return out;
}

void put(Plain& x, std::int64_t t, std::int64_t b, const Vector& values) {
  for (std::size_t i = 0; i < values.size(); ++i) x(t, b, i) = values[i];
}

struct Parameters {
  explicit Parameters(const DecoderStep& decoder)
      : E(parameter(decoder, "embedding.weight")),
        W_a(parameter(decoder, "attention.W_a.weight")),
        U_a(parameter(decoder, "attention.U_a.weight")),
        v_a(parameter(decoder, "attention.v_a")),
        W_s(parameter(decoder, "W_s.weight")),
        W_ih(parameter(decoder, "cell.weight_ih")),
        W_hh(parameter(decoder, "cell.weight_hh")),
        b_ih(parameter(decoder, "cell.bias_ih")),
        b_hh(parameter(decoder, "cell.bias_hh")),
        W_c(parameter(decoder, "W_c.weight")),
        W_o(parameter(decoder, "W_o.weight")) {}
  Plain E, W_a, U_a, v_a, W_s, W_ih, W_hh, b_ih, b_hh, W_c, W_o;
};

Vector gru(const Parameters& p, const Vector& x, const Vector& h) {
  const Vector from_x = times(p.W_ih, x), from_h = times(p.W_hh, h);
  const std::size_t H = h.size();
  Vector next(H);
  for (std::size_t i = 0; i < H; ++i) {
    const auto sum = [&](std::size_t k) { return from_x[k] + p.b_ih(k) + from_h[k] + p.b_hh(k); };
    const double r = sigmoid(sum(i)), z = sigmoid(sum(H + i));
    const std::size_t k = 2 * H + i;
    const double n = std::tanh(from_x[k] + p.b_ih(k) + r * (from_h[k] + p.b_hh(k)));
    next[i] = (1 - z) * n + z * h[i];
  }
  return next;
}

// α of sentence b for the query s. Weights from position `length` on are 0.
Vector attend(const Parameters& p, const Vector& s, const Plain& h, std::int64_t b, std::int64_t length) {
  const Vector query = times(p.W_a, s);
  Vector alpha(T);
  double total = 0;
  for (std::int64_t t = 0; t < length; ++t) {
    const Vector key = times(p.U_a, row(h, t, b));
    double e = 0;
    for (std::size_t a = 0; a < key.size(); ++a) e += p.v_a(a) * std::tanh(query[a] + key[a]);
    total += alpha[static_cast<std::size_t>(t)] = std::exp(e);
  }
  for (double& weight : alpha) weight /= total;
  return alpha;
}

Vector context(const Vector& alpha, const Plain& h, std::int64_t b) {
  Vector c(static_cast<std::size_t>(h.size(2)));
  for (std::size_t t = 0; t < alpha.size(); ++t)
    for (std::size_t d = 0; d < c.size(); ++d) c[d] += alpha[t] * h(t, b, d);
  return c;
}

Vector softmax(Vector x) {
  double total = 0;
  for (double& value : x) total += value = std::exp(value);
  for (double& value : x) value /= total;
  return x;
}

Vector first_state(const Parameters& p, const Case& c, std::int64_t b, StartFault fault = StartFault::none) {
  const Vector forward = row(Plain(c.annotations.last_forward), b),
               backward = row(Plain(c.annotations.first_backward), b);
  switch (fault) {
    case StartFault::no_tanh:
      return times(p.W_s, beside(forward, backward));
    case StartFault::swapped:
      return tanh_of(times(p.W_s, beside(backward, forward)));
    case StartFault::last_annotation:
      return tanh_of(times(p.W_s, row(Plain(c.annotations.h), T - 1, b)));
    case StartFault::last_position: {
      Vector last = row(Plain(c.annotations.h), T - 1, b);
      last.resize(forward.size());
      return tanh_of(times(p.W_s, beside(last, backward)));
    }
    case StartFault::first_annotation:
      return tanh_of(times(p.W_s, row(Plain(c.annotations.h), 0, b)));
    case StartFault::mean:
      return tanh_of(times(p.W_s, context(Vector(T, 1.0 / T), Plain(c.annotations.h), b)));
    case StartFault::forward_twice:
      return tanh_of(times(p.W_s, beside(forward, forward)));
    case StartFault::backward_twice:
      return tanh_of(times(p.W_s, beside(backward, backward)));
    case StartFault::zero:
      return Vector(static_cast<std::size_t>(p.W_s.size(0)));
    default:
      return tanh_of(times(p.W_s, beside(forward, backward)));
  }
}

// The cell's input with input feeding, under this fault.
Vector fed(const Vector& y, const Vector& h_tilde, const Vector& older, const Vector& before_tanh,
           Fault fault) {
  switch (fault) {
    case Fault::not_fed:
    case Fault::h_tilde_not_moved:
      return beside(y, Vector(h_tilde.size()));
    case Fault::fed_two_ago:
      return beside(y, older);
    case Fault::swapped_input:
      return beside(h_tilde, y);
    case Fault::linear_fed:
      return beside(y, before_tanh);
    default:
      return beside(y, h_tilde);
  }
}

void unroll(const Parameters& p, const Case& c, bool feeds, std::int64_t b, Fault fault, Course& course) {
  const Plain h(c.annotations.h), tokens(c.tokens);
  const std::int64_t length = fault == Fault::no_mask ? T : c.lengths[static_cast<std::size_t>(b)];
  Vector s = first_state(p, c, b);
  Vector h_tilde(static_cast<std::size_t>(p.W_c.size(0))), older = h_tilde, before_tanh = h_tilde;
  Vector last_alpha;
  for (std::int64_t t = 0; t < course.s.size(0); ++t) {
    const Vector y = row(p.E, static_cast<std::int64_t>(tokens(t, b)));
    const Vector next = gru(p, feeds ? fed(y, h_tilde, older, before_tanh, fault) : y,
                            fault == Fault::state_from_zero ? Vector(s.size()) : s);
    const Vector alpha = attend(p, fault == Fault::earlier_query ? s : next, h, b, length);
    const Vector seen = context(alpha, h, b), state = fault == Fault::earlier_in_output ? s : next;
    older = h_tilde;
    before_tanh = times(p.W_c, fault == Fault::swapped_output ? beside(state, seen) : beside(seen, state));
    h_tilde =
        fault == Fault::linear_output || fault == Fault::tanh_of_logits ? before_tanh : tanh_of(before_tanh);
    const Vector logits = times(p.W_o, h_tilde);
    put(course.s, t, b, fault == Fault::state_not_moved ? s : next);
    put(course.weights, t, b, fault == Fault::late_weights && t > 0 ? last_alpha : alpha);
    last_alpha = alpha;
    put(course.h_tilde, t, b, fault == Fault::h_tilde_not_moved ? Vector(h_tilde.size()) : h_tilde);
    put(course.logits, t, b,
        fault == Fault::probabilities       ? softmax(logits)
        : fault == Fault::log_probabilities ? log_of(softmax(logits))
        : fault == Fault::tanh_of_logits    ? tanh_of(logits)
                                            : logits);
    if (fault != Fault::state_not_moved) s = next;
  }
}

}  // namespace

Case example(const Lengths& lengths, const LuongSizes& n) {
  gradus::Generator generator(5);
  const auto drawn = [&](const gradus::Shape& shape) {
    return gradus::normal(shape, 0, 1, generator, gradus::Dtype::f64);
  };
  const gradus::nn::Annotations annotations{.h = drawn({T, B, n.annotation}),
                                            .lengths = gradus::tensor(lengths),
                                            .last_forward = drawn({B, n.annotation / 2}),
                                            .first_backward = drawn({B, n.annotation / 2})};
  const Lengths tokens = {1, 1, 1, 7, 3, 10, 4, 4, 2, 9, 7, 5};
  return {annotations, lengths, gradus::tensor(tokens, {steps, B}), n};
}

Plain first_state(const DecoderStep& decoder, const Case& c, StartFault fault) {
  const Parameters p(decoder);
  Plain s({B, c.n.hidden});
  for (std::int64_t b = 0; b < B; ++b) {
    const Vector values = first_state(p, c, b, fault);
    for (std::size_t i = 0; i < values.size(); ++i) s(b, i) = values[i];
  }
  return s;
}

Course unroll(const DecoderStep& decoder, const Case& c, bool feeds, std::int64_t n, Fault fault) {
  const Parameters p(decoder);
  Course course(n, c.n);
  for (std::int64_t b = 0; b < B; ++b) unroll(p, c, feeds, b, fault, course);
  return course;
}

}  // namespace course
