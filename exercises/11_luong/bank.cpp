// Wrong and alternative solutions of each part. An attempt changes one part of our solution.

#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include "answer.hpp"
#include "solution.hpp"

namespace {

using exercise::Attempt;
using exercise::AttentionSizes;
using MakeAttention = Luong::MakeAttention;

Luong right() {
  return {
      .dot = [](const AttentionSizes&) { return std::make_unique<LuongDot>(); },
      .general = [](const AttentionSizes& n) { return std::make_unique<LuongGeneral>(n.query, n.value); },
      .concat =
          [](const AttentionSizes& n) { return std::make_unique<LuongConcat>(n.query, n.value, n.energy); },
      .decoder = [](const LuongSizes& n,
                    auto given) { return std::make_unique<LuongDecoder>(n, std::move(given)); },
      .input_feeding = [](const LuongSizes& n,
                          auto given) { return std::make_unique<LuongInputFeeding>(n, std::move(given)); },
      .local_m = [](const AttentionSizes& n,
                    double w) { return std::make_unique<LocalMonotonic>(n.query, n.value, w); },
      .local_p = [](const AttentionSizes& n,
                    double w) { return std::make_unique<LocalPredictive>(n.query, n.value, n.energy, w); }};
}

// An attempt at one part. Only this part's stages run.
Attempt of_part(const std::string& part, const std::string& name, const std::string& mistake,
                const Luong& answer) {
  exercise::Exercise whole = luong_exercise(answer);
  std::erase_if(whole.stages, [&](const exercise::Stage& s) { return !s.name.starts_with(part + ": "); });
  return {part + ", " + name, mistake, whole};
}

Tensor minus_infinity(Dtype dtype) { return full({}, -std::numeric_limits<double>::infinity(), dtype); }

// 1 at real positions, (B, T), i64.
Tensor real_positions(const nn::Memory& memory) {
  const std::int64_t T = memory.values.size(0), B = memory.values.size(1);
  if (!memory.lengths.defined()) return expand(equal(arange(1), arange(1)), {B, T});
  return less(arange(T), unsqueeze(memory.lengths, 1));
}

// Logical and.
Tensor both(const Tensor& a, const Tensor& b) {
  return equal(a.to(Dtype::f64) * b.to(Dtype::f64), ones({}, Dtype::f64));
}

// Σ_j α_j h_j
Tensor context(const Tensor& alpha, const Tensor& values) {
  return sum(unsqueeze(transpose(alpha, 0, 1), 2) * values, 0);  // (T, B, 1) · (T, B, D)
}

// --- dot, with its own attend()

enum class Dot {
  right,
  by_matmul,
  scaled,
  without_query,
  first_query,
  not_transposed,
  batch_softmax,
  no_softmax,
  no_mask,
  zero_score,
  masked_afterwards,
  mean,
  batch_of_one,
  pads_overwritten,
  reshaped,
  overflows,
  largest_of_all,
  small_at_pads,
  log_softmax,
  times_step,
  less_previous,
  squared,
  drops_out,
};

class OwnDot : public nn::Attention {
 public:
  explicit OwnDot(Dot how) : how_(how) {}

  Result attend(const Tensor& s, const nn::Memory& memory, std::int64_t step,
                const Tensor& before) const override {
    Tensor e = energies(s, memory.values);
    if (how_ == Dot::times_step) e = e * static_cast<double>(step + 1);
    if (how_ == Dot::less_previous && before.defined()) e = e - before;
    if (how_ == Dot::drops_out && is_training()) e = dropout(e, 0.1, default_generator());
    if (how_ == Dot::pads_overwritten) overwrite_pads(memory);
    const Tensor alpha = align(e, real_positions(memory));
    if (how_ == Dot::mean) return {mean(memory.values, 0), alpha};
    return {context(alpha, memory.values), alpha};
  }

 private:
  Tensor energies(const Tensor& s, const Tensor& h) const {
    switch (how_) {
      case Dot::scaled:
        return transpose(sum(h * s, 2), 0, 1) / std::sqrt(static_cast<double>(s.size(1)));
      case Dot::without_query:
        return transpose(sum(h, 2), 0, 1);
      case Dot::first_query:
        return transpose(sum(h * s[0], 2), 0, 1);
      case Dot::not_transposed:
        return sum(h * s, 2);
      case Dot::reshaped:
        return sum(h * s, 2).reshape({s.size(0), h.size(0)});
      case Dot::squared:
        return pow(transpose(sum(h * s, 2), 0, 1), 2);
      case Dot::by_matmul:
        return squeeze(matmul(transpose(h, 0, 1), unsqueeze(s, 2)), 2);  // (B, T, D) · (B, D, 1)
      case Dot::batch_of_one:
        return matmul(s, transpose(squeeze(h, 1), 0, 1));
      default:
        return transpose(sum(h * s, 2), 0, 1);
    }
  }

  static void overwrite_pads(const nn::Memory& memory) {
    Tensor values = memory.values;
    const Tensor kept =
        where(unsqueeze(transpose(real_positions(memory), 0, 1), 2), values, zeros({}, values.dtype()));
    std::ranges::copy(kept.values<double>(), values.mutable_values<double>().begin());
  }

  static Tensor normalised(const Tensor& powers) { return powers / sum(powers, 1, true); }

  Tensor align(const Tensor& e, const Tensor& real) const {
    const Tensor zero = zeros({}, e.dtype());
    switch (how_) {
      case Dot::batch_softmax:
        return softmax(where(real, e, minus_infinity(e.dtype())), 0);
      case Dot::no_softmax:
        return where(real, e, zero);
      case Dot::no_mask:
        return softmax(e);
      case Dot::zero_score:
        return softmax(where(real, e, zero));
      case Dot::masked_afterwards:
        return where(real, softmax(e), zero);
      case Dot::overflows:
        return normalised(exp(e) * real.to(e.dtype()));
      case Dot::largest_of_all:
        return normalised(exp(e - max(e, 1, true)) * real.to(e.dtype()));
      case Dot::small_at_pads:
        return softmax(where(real, e, full({}, -1e3, e.dtype())));
      case Dot::log_softmax:
        return where(real, log_softmax(where(real, e, full({}, -1e3, e.dtype()))), zero);
      default:
        return softmax(where(real, e, minus_infinity(e.dtype())));
    }
  }

  Dot how_;
};

Attempt of_dot(const std::string& name, const std::string& mistake, Dot how) {
  Luong answer = right();
  answer.dot = [how](const AttentionSizes&) { return std::make_unique<OwnDot>(how); };
  return of_part("dot", name, mistake, answer);
}

// --- general

enum class General {
  right,
  transposed,
  bias,
  unregistered,
  extra_tanh,
  added,
  scaled,
  keys_as_values,
  keys_last,         // (Q, B, T)
  keys_batch_first,  // (B, T, Q)
  last_keys,
  first_keys,
  trains_detached,
  values_by_shape,
};

class OwnGeneral : public nn::ScoredAttention {
 public:
  OwnGeneral(const AttentionSizes& n, General how)
      : W_a(how == General::transposed ? n.query : n.value, how == General::transposed ? n.value : n.query,
            how == General::bias),
        how_(how) {
    if (how != General::unregistered) add_module("W_a", W_a);
  }

  nn::Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    if (how_ == General::transposed || how_ == General::right) return {values, Tensor(), lengths};
    Tensor keys = W_a.forward(values);
    if (how_ == General::values_by_shape && keys.shape() == values.shape()) return {keys, keys, lengths};
    if (how_ == General::keys_last) keys = transpose(keys, 0, 2);
    if (how_ == General::keys_batch_first) keys = transpose(keys, 0, 1);
    if (how_ == General::trains_detached && is_training()) keys = keys.detach();
    if (how_ == General::last_keys || !keys_.defined() || keys_.shape() != keys.shape()) keys_ = keys;
    if (how_ == General::first_keys) keys = keys_;
    return {how_ == General::keys_as_values ? keys : values, how_ == General::extra_tanh ? tanh(keys) : keys,
            lengths};
  }

  nn::Linear W_a;

 protected:
  Tensor energies(const Tensor& s, const nn::Memory& memory, std::int64_t, const Tensor&) const override {
    switch (how_) {
      case General::transposed:
        return transpose(sum(memory.values * W_a.forward(s), 2), 0, 1);
      case General::right:
        return transpose(sum(memory.values * matmul(s, W_a.weight), 2), 0, 1);
      case General::keys_last:
        return sum(memory.keys * unsqueeze(transpose(s, 0, 1), 2), 0);
      case General::keys_batch_first:
        return squeeze(matmul(memory.keys, unsqueeze(s, 2)), 2);
      case General::last_keys:
        return transpose(sum((keys_.size(1) == s.size(0) ? keys_ : memory.keys) * s, 2), 0, 1);
      case General::added:
        return transpose(sum(memory.keys + s, 2), 0, 1);
      case General::scaled:
        return transpose(sum(memory.keys * s, 2), 0, 1) / std::sqrt(static_cast<double>(s.size(1)));
      default:
        return transpose(sum(memory.keys * s, 2), 0, 1);
    }
  }

 private:
  General how_;
  mutable Tensor keys_;
};

Attempt of_general(const std::string& name, const std::string& mistake, General how) {
  Luong answer = right();
  answer.general = [how](const AttentionSizes& n) { return std::make_unique<OwnGeneral>(n, how); };
  return of_part("general", name, mistake, answer);
}

// --- concat

enum class Concat { right, swapped, no_tanh, tanh_outside, tanh_first, no_v, no_query, bias, mean, reshaped };

class OwnConcat : public nn::ScoredAttention {
 public:
  OwnConcat(const AttentionSizes& n, Concat how)
      : W_a(n.query + n.value, n.energy, how == Concat::bias), v_a(n.energy, 1, false), how_(how) {
    add_module("W_a", W_a);
    add_module("v_a", v_a);
  }

  nn::Linear W_a, v_a;

 protected:
  Tensor energies(const Tensor& s, const nn::Memory& memory, std::int64_t, const Tensor&) const override {
    const Tensor& h = memory.values;
    if (how_ == Concat::right) return by_halves(s, h);
    const Tensor asked = how_ == Concat::no_query ? zeros(s.shape(), s.dtype()) : s;
    const Tensor repeated = expand(asked, {h.size(0), s.size(0), s.size(1)});
    const Tensor both = how_ == Concat::swapped ? concat({h, repeated}, 2) : concat({repeated, h}, 2);
    const Tensor x = W_a.forward(how_ == Concat::tanh_first ? tanh(both) : both);
    const bool linear_inside =
        how_ == Concat::no_tanh || how_ == Concat::tanh_outside || how_ == Concat::tanh_first;
    const Tensor y = linear_inside ? x : tanh(x);
    if (how_ == Concat::mean) return transpose(mean(y * v_a.weight[0], 2), 0, 1);
    if (how_ == Concat::reshaped) return v_a.forward(y).reshape({s.size(0), h.size(0)});
    const Tensor e = how_ == Concat::no_v ? sum(y, 2) : squeeze(v_a.forward(y), 2);
    return transpose(how_ == Concat::tanh_outside ? tanh(e) : e, 0, 1);
  }

 private:
  // The energies, with W_a = [W_s W_h]: W_a [s; h] is computed as W_s s + W_h h.
  Tensor by_halves(const Tensor& s, const Tensor& h) const {
    const std::int64_t Q = s.size(1);
    const Tensor from_s = linear(s, W_a.weight.slice(0, Q, 1));
    const Tensor from_h = linear(h, W_a.weight.slice(Q, W_a.weight.size(1), 1));
    return transpose(sum(tanh(from_h + from_s) * v_a.weight[0], 2), 0, 1);
  }

  Concat how_;
};

Attempt of_concat(const std::string& name, const std::string& mistake, Concat how) {
  Luong answer = right();
  answer.concat = [how](const AttentionSizes& n) { return std::make_unique<OwnConcat>(n, how); };
  return of_part("concat", name, mistake, answer);
}

// --- the decoder, with and without input feeding

enum class Step {
  right,
  by_halves,   // W_c [c; s] computed as two products
  keeps_more,  // puts extra entries into the state
  earlier_query,
  earlier_in_output,
  swapped_output,
  linear_output,
  output_without_context,
  no_mask,
  state_not_moved,
  probabilities,
  output_bias,
  attention_unregistered,
  s0_linear,
  s0_swapped,
  s0_zero,
  s0_last_annotation,
  annotations_detached,
  state_detached,
  steps_not_counted,
  weights_not_kept,
  asks_twice,  // attends before the cell's update as well
  tells_0,
  tells_calls,
  tells_no_weights,
  weights_detached,
  shown_detached,
  s0_forward_twice,
  s0_mean,
  s0_in_member,
  memory_in_member,
  drops_out,
  log_probabilities,
  shown_late,
  context_detached,
  first_weights_0,
  query_by_shape,    // if E = H, the query is E y
  state_by_shape,    // if K = H, h̃_t is passed on as s_t
  context_by_shape,  // if D = H, c_t is passed on as s_t
  // input feeding
  fed_by_shape,  // if K = H, the cell reads s_{t−1} in place of h̃_{t−1}
  not_fed,
  fed_too_late,
  swapped_input,
  fed_before_tanh,
  first_h_tilde_1,
  h_tilde_not_moved,
  member_alone,
  member_beside_state,
  h_tilde_detached,
};

class OwnDecoder : public nn::DecoderStep {
 public:
  OwnDecoder(const LuongSizes& n, std::unique_ptr<nn::Attention> given, bool feeds, Step how)
      : embedding(n.vocabulary, n.embedding),
        attention(std::move(given)),
        W_s(n.annotation, n.hidden, false),
        cell(n.embedding + (feeds ? n.attentional : 0), n.hidden),
        W_c(n.hidden + (how == Step::output_without_context ? 0 : n.annotation), n.attentional, false),
        W_o(n.attentional, n.vocabulary, how == Step::output_bias),
        feeds_(feeds),
        how_(how) {
    add_module("embedding", embedding);
    if (how != Step::attention_unregistered) add_module("attention", *attention);
    add_module("W_s", W_s);
    add_module("cell", cell);
    add_module("W_c", W_c);
    add_module("W_o", W_o);
  }

  Start start(const nn::Annotations& annotations) const override {
    const Tensor h = how_ == Step::annotations_detached ? annotations.h.detach() : annotations.h;
    const Tensor s = first(annotations);
    const Tensor h_tilde =
        full({s.size(0), W_o.weight.size(1)}, how_ == Step::first_h_tilde_1 ? 1 : 0, s.dtype());
    kept_ = h_tilde;
    const Tensor none = how_ == Step::first_weights_0 ? zeros({h.size(1), h.size(0)}, h.dtype()) : Tensor();
    NamedTensors state = {{"s", s}, {"weights", none}};
    if (how_ != Step::member_alone) state.push_back({"h_tilde", h_tilde});
    if (how_ == Step::fed_too_late) state.push_back({"older", h_tilde});
    memory_ = attention->prepare(h, how_ == Step::no_mask ? Tensor() : annotations.lengths);
    calls_ = 0;
    return {nn::State(state, 0), memory_};
  }

  Output step(const Tensor& previous, const nn::State& state, const nn::Memory& given) const override {
    const bool own = how_ == Step::memory_in_member && memory_.values.size(1) == previous.size(0);
    const nn::Memory& memory = own ? memory_ : given;
    const Tensor& before = state["s"];
    const Tensor s = cell.forward(read(embedding.forward(previous), state), before);
    if (how_ == Step::asks_twice) attention->attend(before, memory, state.step(), state["weights"]);
    const Tensor y = embedding.forward(previous);
    const bool by_token = how_ == Step::query_by_shape && y.shape() == s.shape();
    const auto [c, alpha] =
        attention->attend(how_ == Step::earlier_query ? before
                          : by_token                  ? y
                                                      : s,
                          memory, told(state), how_ == Step::tells_no_weights ? Tensor() : state["weights"]);
    const Tensor raw = how_ == Step::by_halves
                           ? by_halves(c, s)
                           : W_c.forward(seen(how_ == Step::context_detached ? c.detach() : c,
                                              how_ == Step::earlier_in_output ? before : s));
    Tensor h_tilde = how_ == Step::linear_output ? raw : tanh(raw);
    if (how_ == Step::drops_out && is_training()) h_tilde = dropout(h_tilde, 0.2, default_generator());
    const Tensor logits = W_o.forward(h_tilde);
    kept_ = h_tilde;
    const Tensor moved = how_ == Step::state_by_shape && h_tilde.shape() == s.shape() ? h_tilde
                         : how_ == Step::context_by_shape && c.shape() == s.shape()   ? c
                                                                                      : s;
    const bool late = how_ == Step::shown_late && state["weights"].defined();
    return {how_ == Step::probabilities       ? softmax(logits)
            : how_ == Step::log_probabilities ? log_softmax(logits)
                                              : logits,
            next(moved, raw, h_tilde, alpha, state),
            how_ == Step::shown_detached ? alpha.detach()
            : late                       ? state["weights"]
                                         : alpha};
  }

  nn::Embedding embedding;
  const std::unique_ptr<nn::Attention> attention;
  nn::Linear W_s;
  nn::GRUCell cell;
  nn::Linear W_c, W_o;

 private:
  Tensor first(const nn::Annotations& annotations) const {
    const Tensor &forward = annotations.last_forward, &backward = annotations.first_backward;
    switch (how_) {
      case Step::s0_linear:
        return W_s.forward(concat({forward, backward}, 1));
      case Step::s0_swapped:
        return tanh(W_s.forward(concat({backward, forward}, 1)));
      case Step::s0_zero:
        return zeros({forward.size(0), W_s.weight.size(0)}, forward.dtype());
      case Step::s0_forward_twice:
        return tanh(W_s.forward(concat({forward, forward}, 1)));
      case Step::s0_mean:
        return tanh(W_s.forward(mean(annotations.h, 0)));
      case Step::s0_in_member:
        if (!s_0_.defined() || s_0_.size(0) != forward.size(0))
          s_0_ = tanh(W_s.forward(concat({forward, backward}, 1)));
        return s_0_;
      case Step::s0_last_annotation:
        return tanh(W_s.forward(annotations.h[-1]));
      default:
        return tanh(W_s.forward(concat({forward, backward}, 1)));
    }
  }

  std::int64_t told(const nn::State& state) const {
    const bool nothing = how_ == Step::steps_not_counted || how_ == Step::tells_0;
    return nothing ? 0 : how_ == Step::tells_calls ? calls_++ : state.step();
  }

  Tensor read(const Tensor& y, const nn::State& state) const {
    if (!feeds_) return y;
    switch (how_) {
      case Step::not_fed:
        return concat({y, zeros(kept_.shape(), y.dtype())}, 1);
      case Step::fed_too_late:
        return concat({y, state["older"]}, 1);
      case Step::swapped_input:
        return concat({state["h_tilde"], y}, 1);
      case Step::fed_before_tanh:
        return concat({y, state.step() == 0 ? kept_ : state["raw"]}, 1);
      case Step::member_alone:
      case Step::member_beside_state:
        return concat({y, kept_}, 1);
      case Step::fed_by_shape:
        return concat({y, state["h_tilde"].shape() == state["s"].shape() ? state["s"] : state["h_tilde"]}, 1);
      case Step::h_tilde_detached:
        return concat({y, state["h_tilde"].detach()}, 1);
      default:
        return concat({y, state["h_tilde"]}, 1);
    }
  }

  Tensor by_halves(const Tensor& c, const Tensor& s) const {
    const std::int64_t D = c.size(1);
    return linear(c, W_c.weight.slice(0, D, 1)) + linear(s, W_c.weight.slice(D, D + s.size(1), 1));
  }

  Tensor seen(const Tensor& c, const Tensor& s) const {
    if (how_ == Step::output_without_context) return s;
    return how_ == Step::swapped_output ? concat({s, c}, 1) : concat({c, s}, 1);
  }

  nn::State next(const Tensor& s, const Tensor& raw, const Tensor& h_tilde, const Tensor& alpha,
                 const nn::State& before) const {
    const Tensor moved = how_ == Step::state_not_moved  ? before["s"]
                         : how_ == Step::state_detached ? s.detach()
                                                        : s;
    const Tensor kept = how_ == Step::weights_not_kept   ? Tensor()
                        : how_ == Step::weights_detached ? alpha.detach()
                                                         : alpha;
    NamedTensors state = {{"s", moved}, {"weights", kept}};
    if (how_ != Step::member_alone) {
      state.push_back({"h_tilde", how_ == Step::h_tilde_not_moved ? before["h_tilde"] : h_tilde});
    }
    if (how_ == Step::fed_too_late) state.push_back({"older", before["h_tilde"]});
    if (how_ == Step::fed_before_tanh || how_ == Step::keeps_more) state.push_back({"raw", raw});
    return {state, how_ == Step::steps_not_counted ? 0 : before.step() + 1};
  }

  bool feeds_;
  Step how_;
  // Some wrong decoders keep their state in these members. Correct decoders keep it in nn::State.
  mutable Tensor kept_, s_0_;
  mutable nn::Memory memory_;
  mutable std::int64_t calls_ = 0;
};

Attempt of_decoder(const std::string& name, const std::string& mistake, Step how) {
  Luong answer = right();
  answer.decoder = [how](const LuongSizes& n, auto given) {
    return std::make_unique<OwnDecoder>(n, std::move(given), false, how);
  };
  return of_part("decoder", name, mistake, answer);
}

Attempt of_input_feeding(const std::string& name, const std::string& mistake, Step how) {
  Luong answer = right();
  answer.input_feeding = [how](const LuongSizes& n, auto given) {
    return std::make_unique<OwnDecoder>(n, std::move(given), true, how);
  };
  return of_part("input feeding", name, mistake, answer);
}

// --- local attention, with where() and softmax()

enum class Local {
  right,
  by_exp,  // builds the softmax from exp() and sum()
  no_mask,
  masked_afterwards,
  no_window,
  narrow,
  wide,
  past_only,
  zero_outside,
  small_outside,
  cut_afterwards,
  from_1,
  next_position,
  calls_counted,
  unclamped,
  clamped_late,
  all_if_wide,
  batch_length,
  last_position,
  no_sigmoid,
  no_inner_tanh,
  rounded,
  detached,
  no_gaussian,
  sigma_w,
  no_two,
  rising,
  on_energies,
  renormalised,
  on_log_scale,
  context_of_softmax,
  whole_w,
  w_is_2,
  half_open,
  window_rounded,
  floored,
  lengths_kept,
  overflows,
  largest_of_all,
  sigma_1,
  sigma_not_squared,  // 2σ instead of 2σ²
  whole_sigma,
  sigma_root,  // 2σ² = w
  absolute,
  context_renormalised,
  trains_unwindowed,
  drops_out,
  less_previous,
  w_in_float,
  doubled,
  halved,
  future_only,
  first_length,
  from_the_end,
  capped,
  no_length,
  context_of_all,
};

class OwnLocal : public LuongGeneral {
 public:
  OwnLocal(const AttentionSizes& n, double half_window, Local how)
      : LuongGeneral(n.query, n.value), w(half_window), how_(how) {}

  Result attend(const Tensor& s, const nn::Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override {
    const Tensor positions = arange(memory.values.size(0)).to(s.dtype()) + (how_ == Local::from_1 ? 1 : 0);
    const Tensor away = positions - centre(s, lengths(memory), step);
    Tensor e = energies(s, memory, step, previous_weights);
    if (how_ == Local::less_previous && previous_weights.defined()) e = e - previous_weights;
    if (how_ == Local::drops_out && is_training()) e = gradus::dropout(e, 0.1, default_generator());
    const auto [softmax_alone, alpha] = align(e, away, real_positions(memory));
    if (how_ == Local::context_renormalised)
      return {context(alpha / sum(alpha, 1, true), memory.values), alpha};
    if (how_ == Local::context_of_all)
      return {context(masked_softmax(e, memory.lengths), memory.values), alpha};
    return {context(how_ == Local::context_of_softmax ? softmax_alone : alpha, memory.values), alpha};
  }

  const double w;

 protected:
  virtual Tensor centre(const Tensor& s, const Tensor& S, std::int64_t step) const {
    const std::int64_t where = how_ == Local::next_position   ? step + 1
                               : how_ == Local::calls_counted ? calls_++
                                                              : step;
    const auto t = static_cast<double>(where);
    const Tensor p = expand(full({}, t, s.dtype()), S.shape());
    if (how_ == Local::from_the_end) return maximum(S - 1 - p, zeros({}, s.dtype()));
    return how_ == Local::unclamped ? p : minimum(p, how_ == Local::clamped_late ? S : S - 1);
  }
  virtual Tensor window(const Tensor& away) const { return ones(away.shape(), away.dtype()); }
  Local how() const { return how_; }

 private:
  Tensor lengths(const nn::Memory& memory) const {
    const Tensor S = unsqueeze(memory.lengths, 1).to(memory.values.dtype());
    if (!S_.defined() || S_.shape() != S.shape()) S_ = S;
    if (how_ == Local::lengths_kept) return S_;
    if (how_ == Local::first_length) return expand(S.slice(0, 1), S.shape());
    return how_ == Local::batch_length ? expand(max(S), S.shape()) : S;
  }

  Tensor inside(const Tensor& away) const {
    const auto bound = [&](double value) { return full({}, value, away.dtype()); };
    switch (how_) {
      case Local::narrow:
        return less(abs(away), bound(w));
      case Local::wide:
        return less_equal(abs(away), bound(w + 1));
      case Local::past_only:
        return both(less_equal(away, bound(0)), greater_equal(away, bound(-w)));
      case Local::no_window:
        return equal(away, away);
      case Local::all_if_wide:
        return 2 * w + 1 >= static_cast<double>(away.size(1)) ? equal(away, away)
                                                              : less_equal(abs(away), bound(w));
      case Local::trains_unwindowed:
        return is_training() ? equal(away, away) : less_equal(abs(away), bound(w));
      case Local::whole_w:
        return less_equal(abs(away), bound(std::floor(w)));
      case Local::w_in_float:
        return less_equal(abs(away), bound(static_cast<double>(static_cast<float>(w))));
      case Local::doubled:
        return less_equal(abs(away), bound(2 * w));
      case Local::halved:
        return less_equal(abs(away), bound(w / 2));
      case Local::future_only:
        return both(less_equal(away, bound(w)), greater_equal(away, bound(0)));
      case Local::w_is_2:
        return less_equal(abs(away), bound(2));
      case Local::half_open:
        return both(less(away, bound(w)), greater_equal(away, bound(-w)));
      default:
        return both(less_equal(away, bound(w)), greater_equal(away, bound(-w)));
    }
  }

  // The softmax, and the softmax multiplied by the Gaussian.
  std::pair<Tensor, Tensor> align(const Tensor& e, const Tensor& away, const Tensor& real) const {
    const Tensor within = inside(away), here = both(within, real), zero = zeros({}, e.dtype());
    const Tensor none = minus_infinity(e.dtype()), around = window(away);
    const auto over = [&](const Tensor& positions, const Tensor& x) {
      return softmax(where(positions, x, none));
    };
    switch (how_) {
      case Local::by_exp: {
        const Tensor x = exp(where(here, e - max(where(here, e, none), 1, true), none));
        return pair(x / sum(x, 1, true), around);
      }
      case Local::overflows: {
        const Tensor x = exp(e) * here.to(e.dtype());
        return pair(x / sum(x, 1, true), around);
      }
      case Local::largest_of_all: {
        const Tensor x = exp(e - max(e, 1, true)) * here.to(e.dtype());
        return pair(x / sum(x, 1, true), around);
      }
      case Local::no_mask:
        return pair(over(within, e), around);
      case Local::masked_afterwards:
        return pair(where(real, over(within, e), zero), around);
      case Local::zero_outside:
        return pair(over(real, where(within, e, zero)), around);
      case Local::small_outside:
        return pair(softmax(where(here, e, full({}, -30, e.dtype()))), around);
      case Local::cut_afterwards:
        return pair(where(within, over(real, e), zero), around);
      case Local::on_energies:
        return pair(over(here, e * around), ones({}, e.dtype()));
      case Local::on_log_scale:
        return pair(over(here, e + log(around)), ones({}, e.dtype()));
      case Local::renormalised: {
        const Tensor alpha = over(here, e) * around;
        return pair(alpha / sum(alpha, 1, true), ones({}, e.dtype()));
      }
      case Local::unclamped:
        return pair(masked_softmax(where(here, e, none), sum(real.to(e.dtype()), 1).to(Dtype::i64)), around);
      default:
        return pair(over(here, e), around);
    }
  }

  static std::pair<Tensor, Tensor> pair(const Tensor& alpha, const Tensor& around) {
    return {alpha, alpha * around};
  }

  Local how_;
  mutable std::int64_t calls_ = 0;
  mutable Tensor S_;
};

// Loops over sentences, and slices the window from the energies.
class Sliced : public LuongGeneral {
 public:
  Sliced(const AttentionSizes& n, double half_window) : LuongGeneral(n.query, n.value), w(half_window) {}

  Result attend(const Tensor& s, const nn::Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override {
    const std::int64_t T = memory.values.size(0);
    const Tensor e = energies(s, memory, step, previous_weights);
    std::vector<Tensor> rows;
    for (std::int64_t b = 0; b < e.size(0); ++b) {
      const std::int64_t S = memory.lengths.values<std::int64_t>()[static_cast<std::size_t>(b)];
      const std::int64_t p = std::min(step, S - 1), reach = static_cast<std::int64_t>(w);
      const std::int64_t begin = std::max<std::int64_t>(p - reach, 0), end = std::min(p + reach + 1, S);
      rows.push_back(pad(softmax(e[b].slice(begin, end)), 0, begin, T - end));
    }
    const Tensor alpha = stack(rows);
    return {context(alpha, memory.values), alpha};
  }

  const double w;
};

class OwnPredictive : public OwnLocal {
 public:
  OwnPredictive(const AttentionSizes& n, double half_window, Local how)
      : OwnLocal(n, half_window, how), W_p(n.query, n.energy, false), v_p(n.energy, 1, false) {
    add_module("W_p", W_p);
    add_module("v_p", v_p);
  }

  nn::Linear W_p, v_p;

 protected:
  Tensor centre(const Tensor& s, const Tensor& S, std::int64_t /*step*/) const override {
    const Tensor inner = W_p.forward(s);
    const Tensor score = v_p.forward(how() == Local::no_inner_tanh ? inner : tanh(inner));
    const Tensor p =
        (how() == Local::last_position ? S - 1 : S) * (how() == Local::no_sigmoid ? score : sigmoid(score));
    switch (how()) {
      case Local::next_position:
        return p + 1;
      case Local::rounded:
        return (p + 0.5).to(Dtype::i64).to(p.dtype());
      case Local::capped:
        return minimum(p, S - 1);
      case Local::no_length:
        return sigmoid(score) + 0.0 * S;
      case Local::floored:
        return p.to(Dtype::i64).to(p.dtype());
      case Local::detached:
        return p.detach();
      default:
        return p;
    }
  }

  Tensor window(const Tensor& away) const override {
    const double sigma = how() == Local::sigma_w       ? w
                         : how() == Local::sigma_1     ? 1
                         : how() == Local::whole_sigma ? std::floor(w / 2)
                         : how() == Local::sigma_root  ? std::sqrt(w / 2)
                                                       : w / 2;
    const double variance = how() == Local::sigma_not_squared ? sigma : sigma * sigma;
    const Tensor distance = how() == Local::absolute ? abs(away) : pow(away, 2);
    const Tensor exponent = distance / ((how() == Local::no_two ? 1 : 2) * variance);
    if (how() == Local::no_gaussian) return ones(away.shape(), away.dtype());
    return exp(how() == Local::rising ? exponent : -exponent);
  }
};

Attempt of_local_m(const std::string& name, const std::string& mistake, Local how) {
  Luong answer = right();
  answer.local_m = [how](const AttentionSizes& n, double w) { return std::make_unique<OwnLocal>(n, w, how); };
  return of_part("local-m", name, mistake, answer);
}

Attempt of_local_p(const std::string& name, const std::string& mistake, Local how) {
  Luong answer = right();
  answer.local_p = [how](const AttentionSizes& n, double w) {
    return std::make_unique<OwnPredictive>(n, w, how);
  };
  return of_part("local-p", name, mistake, answer);
}

Attempt sliced() {
  Luong answer = right();
  answer.local_m = [](const AttentionSizes& n, double w) { return std::make_unique<Sliced>(n, w); };
  return of_part("local-m", "sentence by sentence", "", answer);
}

}  // namespace

int main() {
  return exercise::bank({
      of_dot("own attend()", "", Dot::right),
      of_dot("matrix product", "", Dot::by_matmul),
      of_dot("scaled by √D", "scaled", Dot::scaled),
      of_dot("query ignored", "ignores-query", Dot::without_query),
      of_dot("first query for all", "one-query", Dot::first_query),
      of_dot("not transposed", "time-first", Dot::not_transposed),
      of_dot("softmax over the batch", "batch-axis", Dot::batch_softmax),
      of_dot("no softmax", "no-softmax", Dot::no_softmax),
      of_dot("no mask", "no-mask", Dot::no_mask),
      of_dot("pads' energies set to 0", "zero-score", Dot::zero_score),
      of_dot("masked after the softmax", "mask-after-softmax", Dot::masked_afterwards),
      of_dot("works for one sentence only", "batch-of-one", Dot::batch_of_one),
      of_dot("pads overwritten", "changes-its-input", Dot::pads_overwritten),
      of_dot("mean of the values as context", "context-mean", Dot::mean),

      of_dot("reshaped in place of transposed", "reshaped", Dot::reshaped),
      of_dot("exponent without the maximum", "overflow", Dot::overflows),
      of_dot("maximum over the pads too", "max-over-pads", Dot::largest_of_all),
      of_dot("pads' energies set to −1000", "pads-leak", Dot::small_at_pads),
      of_dot("logarithms of the weights", "log-softmax", Dot::log_softmax),
      of_dot("times step + 1", "depends-on-step", Dot::times_step),
      of_dot("minus the previous weights", "depends-on-step", Dot::less_previous),
      of_dot("squared", "squared", Dot::squared),
      of_dot("dropout of the energies", "training-differs", Dot::drops_out),

      of_general("keys (Q, B, T)", "", General::keys_last),
      of_general("keys (B, T, Q)", "memory-layout", General::keys_batch_first),
      of_general("keys in a member", "remembers", General::last_keys),
      of_general("first keys for all", "remembers", General::first_keys),
      of_general("keys detached in training", "gradient", General::trains_detached),
      of_general("keys as values where the sizes agree", "by-shape", General::values_by_shape),
      of_general("query times W_a", "", General::right),
      of_general("W_a transposed", "parameter-shape", General::transposed),
      of_general("W_a with a bias", "parameters", General::bias),
      of_general("W_a not registered", "parameters", General::unregistered),
      of_general("extra tanh", "extra-tanh", General::extra_tanh),
      of_general("sum in place of product", "ignores-query", General::added),
      of_general("scaled", "scaled", General::scaled),
      of_general("keys returned as values", "context-of-keys", General::keys_as_values),

      of_concat("W_a in two halves", "", Concat::right),
      of_concat("[h; s]", "halves-swapped", Concat::swapped),
      of_concat("no tanh", "no-tanh", Concat::no_tanh),
      of_concat("tanh of the energy", "tanh-outside", Concat::tanh_outside),
      of_concat("tanh before W_a", "tanh-first", Concat::tanh_first),
      of_concat("no v_a", "no-v", Concat::no_v),
      of_concat("zeros in place of the query", "ignores-query", Concat::no_query),
      of_concat("W_a with a bias", "parameters", Concat::bias),

      of_concat("mean over A", "mean-over-energies", Concat::mean),
      of_concat("reshaped in place of transposed", "reshaped", Concat::reshaped),

      of_decoder("one class", "", Step::right),
      of_decoder("W_c in two halves", "", Step::by_halves),
      of_decoder("extra tensors in the state", "", Step::keeps_more),
      of_decoder("query s_{t−1}", "earlier-state", Step::earlier_query),
      of_decoder("h̃ from s_{t−1}", "earlier-state-in-output", Step::earlier_in_output),
      of_decoder("[s; c]", "output-swapped", Step::swapped_output),
      of_decoder("h̃ without tanh", "no-tanh", Step::linear_output),
      of_decoder("h̃ without c", "parameter-shape", Step::output_without_context),
      of_decoder("lengths not passed", "no-mask", Step::no_mask),
      of_decoder("old state returned", "state-not-moved", Step::state_not_moved),
      of_decoder("softmax of the logits", "softmax-of-logits", Step::probabilities),
      of_decoder("W_o with a bias", "parameters", Step::output_bias),
      of_decoder("attention not registered", "parameters", Step::attention_unregistered),
      of_decoder("s_0 without tanh", "s0-no-tanh", Step::s0_linear),
      of_decoder("s_0 from [←h; →h]", "s0-swapped", Step::s0_swapped),
      of_decoder("s_0 = 0", "s0-zero", Step::s0_zero),
      of_decoder("s_0 from the last annotation", "s0-last-annotation", Step::s0_last_annotation),
      of_decoder("annotations detached", "off-the-tape", Step::annotations_detached),
      of_decoder("s detached", "off-the-tape", Step::state_detached),
      of_decoder("steps not counted", "step-count", Step::steps_not_counted),
      of_decoder("attends twice", "attends-once", Step::asks_twice),
      of_decoder("weights not in the state", "previous-weights", Step::weights_not_kept),

      of_decoder("passes step 0 to attend()", "told-step", Step::tells_0),
      of_decoder("passes the number of its calls", "told-step", Step::tells_calls),
      of_decoder("passes no weights to attend()", "previous-weights", Step::tells_no_weights),
      of_decoder("weights in the state detached", "off-the-tape", Step::weights_detached),
      of_decoder("returned weights detached", "returned-weights-detached", Step::shown_detached),
      of_decoder("s_0 from [→h; →h]", "s0-forward-twice", Step::s0_forward_twice),
      of_decoder("s_0 from the mean", "s0-mean", Step::s0_mean),
      of_decoder("s_0 in a member", "remembers", Step::s0_in_member),
      of_decoder("memory in a member", "remembers", Step::memory_in_member),
      of_decoder("dropout of h̃", "training-differs", Step::drops_out),
      of_decoder("log-probabilities", "softmax-of-logits", Step::log_probabilities),
      of_decoder("returns the weights of the previous step", "late-weights", Step::shown_late),
      of_decoder("context detached", "off-the-tape", Step::context_detached),
      of_decoder("weights of 0 in the first state", "previous-weights", Step::first_weights_0),
      of_decoder("E y as the query where the sizes agree", "by-shape", Step::query_by_shape),
      of_decoder("h̃ passed on as s where the sizes agree", "by-shape", Step::state_by_shape),
      of_decoder("c passed on as s where the sizes agree", "by-shape", Step::context_by_shape),

      of_input_feeding("one class", "", Step::right),
      of_input_feeding("W_c in two halves", "", Step::by_halves),
      of_input_feeding("extra tensors in the state", "", Step::keeps_more),
      of_input_feeding("zeros fed", "not-fed", Step::not_fed),
      of_input_feeding("h̃_{t−2} fed", "fed-too-late", Step::fed_too_late),
      of_input_feeding("[h̃; E y]", "input-swapped", Step::swapped_input),
      of_input_feeding("h̃ fed without tanh", "fed-before-tanh", Step::fed_before_tanh),
      of_input_feeding("h̃_0 = 1", "h-tilde-0", Step::first_h_tilde_1),
      of_input_feeding("h̃ not updated", "h-tilde-not-moved", Step::h_tilde_not_moved),
      of_input_feeding("h̃ only in a member", "h-tilde-not-in-state", Step::member_alone),
      of_input_feeding("h̃ read from a member", "remembers", Step::member_beside_state),
      of_input_feeding("h̃ detached", "off-the-tape", Step::h_tilde_detached),
      of_input_feeding("s fed where the sizes agree", "by-shape", Step::fed_by_shape),
      of_input_feeding("passes step 0 to attend()", "told-step", Step::tells_0),
      of_input_feeding("memory in a member", "remembers", Step::memory_in_member),
      of_input_feeding("dropout of h̃", "training-differs", Step::drops_out),
      of_input_feeding("query s_{t−1}", "earlier-state", Step::earlier_query),
      of_input_feeding("[s; c]", "output-swapped", Step::swapped_output),

      of_local_m("with where()", "", Local::right),
      sliced(),
      of_local_m("own softmax", "", Local::by_exp),
      of_local_m("lengths ignored", "no-mask", Local::no_mask),
      of_local_m("masked after the softmax", "mask-after-softmax", Local::masked_afterwards),
      of_local_m("no window", "no-window", Local::no_window),
      of_local_m("window without its ends", "window-too-narrow", Local::narrow),
      of_local_m("window one position wider", "window-too-wide", Local::wide),
      of_local_m("window ends at p", "one-sided", Local::past_only),
      of_local_m("energies outside set to 0", "zero-score", Local::zero_outside),
      of_local_m("energies outside set to −30", "pads-leak", Local::small_outside),
      of_local_m("window after the softmax", "window-after-softmax", Local::cut_afterwards),
      of_local_m("positions from 1", "centre-too-early", Local::from_1),
      of_local_m("centred at t + 1", "centre-too-late", Local::next_position),
      of_local_m("own step counter", "remembers", Local::calls_counted),
      of_local_m("past the end", "past-the-end", Local::unclamped),
      of_local_m("one past the end", "past-the-end", Local::clamped_late),
      of_local_m("T in place of S", "batch-length", Local::batch_length),

      of_local_m("w as an integer", "", Local::whole_w),
      of_local_m("w = 2", "window-fixed", Local::w_is_2),
      of_local_m("half-open window", "half-open", Local::half_open),
      of_local_m("no window if it is as wide as the sentence", "no-window", Local::all_if_wide),
      of_local_m("lengths of the first call", "remembers", Local::lengths_kept),
      of_local_m("exponent without the maximum", "overflow", Local::overflows),
      of_local_m("maximum over all positions", "max-over-pads", Local::largest_of_all),
      of_local_m("no window in training", "training-differs", Local::trains_unwindowed),
      of_local_m("dropout of the energies", "training-differs", Local::drops_out),
      of_local_m("minus the previous weights", "depends-on-step", Local::less_previous),
      of_local_m("w in float", "window-rounded", Local::w_in_float),
      of_local_m("2 w to each side", "window-factor", Local::doubled),
      of_local_m("w/2 to each side", "window-factor", Local::halved),
      of_local_m("window begins at p", "one-sided", Local::future_only),
      of_local_m("the first S for all", "one-length", Local::first_length),
      of_local_m("p from the end", "from-the-end", Local::from_the_end),
      of_local_m("context of all positions", "context-of-all", Local::context_of_all),

      of_local_p("with where()", "", Local::right),
      of_local_p("own softmax", "", Local::by_exp),
      of_local_p("lengths ignored", "no-mask", Local::no_mask),
      of_local_p("no window", "no-window", Local::no_window),
      of_local_p("energies outside set to 0", "zero-score", Local::zero_outside),
      of_local_p("window after the softmax", "window-after-softmax", Local::cut_afterwards),
      of_local_p("positions from 1", "centre-too-early", Local::from_1),
      of_local_p("centred at p + 1", "centre-too-late", Local::next_position),
      of_local_p("T in place of S", "batch-length", Local::batch_length),
      of_local_p("S − 1 in place of S", "scaled-by-s-1", Local::last_position),
      of_local_p("no sigmoid", "no-sigmoid", Local::no_sigmoid),
      of_local_p("no tanh", "no-tanh", Local::no_inner_tanh),
      of_local_p("p rounded", "rounded", Local::rounded),
      of_local_p("p detached", "off-the-tape", Local::detached),
      of_local_p("no Gaussian", "no-gaussian", Local::no_gaussian),
      of_local_p("σ = w", "sigma", Local::sigma_w),
      of_local_p("σ² in place of 2σ²", "no-two", Local::no_two),
      of_local_p("exp(+…) for the Gaussian", "gaussian-sign", Local::rising),
      of_local_p("energies times the Gaussian", "gaussian-before-softmax", Local::on_energies),
      of_local_p("renormalised", "renormalised", Local::renormalised),
      of_local_p("energies plus the log-Gaussian", "renormalised", Local::on_log_scale),
      of_local_p("p rounded down", "floored", Local::floored),
      of_local_p("w as an integer", "window-rounded", Local::whole_w),
      of_local_p("w = 2", "window-fixed", Local::w_is_2),
      of_local_p("lengths of the first call", "remembers", Local::lengths_kept),
      of_local_p("exponent without the maximum", "overflow", Local::overflows),
      of_local_p("maximum over all positions", "overflow", Local::largest_of_all),
      of_local_p("no window in training", "training-differs", Local::trains_unwindowed),
      of_local_p("σ = 1", "sigma", Local::sigma_1),
      of_local_p("2σ in place of 2σ²", "sigma", Local::sigma_not_squared),
      of_local_p("σ as an integer", "sigma", Local::whole_sigma),
      of_local_p("σ = √(w/2)", "sigma", Local::sigma_root),
      of_local_p("|j − p| in place of its square", "not-squared", Local::absolute),
      of_local_p("context renormalised", "context-renormalised", Local::context_renormalised),
      of_local_p("minus the previous weights", "depends-on-step", Local::less_previous),
      of_local_p("p limited to S − 1", "capped", Local::capped),
      of_local_p("no S", "no-length", Local::no_length),
      of_local_p("2 w to each side", "window-factor", Local::doubled),
      of_local_p("the first S for all", "one-length", Local::first_length),
      of_local_p("context without the Gaussian", "context-without-gaussian", Local::context_of_softmax),
  });
}
