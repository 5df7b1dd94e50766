// The three scores of section 3.1: dot, general, concat.

#include <cmath>

#include "parts.hpp"

namespace {

using exercise::AttentionSizes;
using exercise::AttentionTask;
using exercise::Mistake;
using exercise::Parameter;
using exercise::Plain;
using gradus::nn::Module;

// e_bt = f(b, t), (B, T)
template <class F>
Plain energies(const Plain& query, const Plain& values, const F& f) {
  Plain e({query.size(0), values.size(0)});
  for (std::int64_t b = 0; b < e.size(0); ++b)
    for (std::int64_t t = 0; t < e.size(1); ++t) e(b, t) = f(b, t);
  return e;
}

// Σ_i f(i)
template <class F>
double total(std::int64_t n, const F& f) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += f(i);
  return sum;
}

const Mistake ignores_query{
    "ignores-query", "The query has no influence: it is missing or only added.",
    "e_tj must combine h_j with s_t. A term without h_j is the same for every j and cancels in the softmax."};
const Mistake scaled{"scaled", "The energies are divided by a square root.",
                     "Only the dot product of Vaswani et al. (2017) is scaled; Luong's is not."};
const Mistake one_query{"one-query", "Every sentence uses the first sentence's query.",
                        "Row b of the query belongs to values[:, b]."};

Plain dot(const Plain& query, const Plain& values) {
  return energies(query, values, [&](auto b, auto t) {
    return total(values.size(2), [&](auto d) { return query(b, d) * values(t, b, d); });
  });
}

Plain divided(Plain e, double by) {
  for (std::int64_t b = 0; b < e.size(0); ++b)
    for (std::int64_t t = 0; t < e.size(1); ++t) e(b, t) /= by;
  return e;
}

// Element q of W h_t in sentence b.
double key(const Plain& W, const Plain& values, std::int64_t t, std::int64_t b, std::int64_t q) {
  return total(values.size(2), [&](auto d) { return W(q, d) * values(t, b, d); });
}

// A variant of concat. The default values are right.
struct Concat {
  bool swapped = false;       // [h_j; s_t]
  bool query = true;          // s_t is used
  bool tanh = true;           // applied to each of the A sums
  bool tanh_outside = false;  // applied to e
  bool tanh_first = false;    // applied to s_t and h_j, before W_a
  bool weighted = true;       // multiplied by v_a
  bool mean = false;          // averages over A instead of summing
  bool tanh_twice = false;    // applied to each of the A sums, and to e
  bool first_query = false;   // every sentence uses the first query
};

Plain concat(const Module& module, const Plain& query, const Plain& values, const Concat& form) {
  const Plain W = exercise::parameter(module, "W_a.weight"), v = exercise::parameter(module, "v_a.weight");
  const std::int64_t Q = query.size(1), D = values.size(2);
  const auto read = [&](double x) { return form.tanh_first ? std::tanh(x) : x; };
  return energies(query, values, [&](auto b, auto t) {
    const double e = total(v.size(1), [&](auto a) {
      const double from_query = total(Q, [&](auto q) {
        return W(a, form.swapped ? D + q : q) * read(query(form.first_query ? 0 : b, q));
      });
      const double from_value =
          total(D, [&](auto d) { return W(a, form.swapped ? d : Q + d) * read(values(t, b, d)); });
      const double x = (form.query ? from_query : 0) + from_value;
      return (form.weighted ? v(0, a) : 1) * (form.tanh ? std::tanh(x) : x);
    });
    if (form.mean) return e / static_cast<double>(v.size(1));
    return form.tanh_outside || form.tanh_twice ? std::tanh(e) : e;
  });
}

AttentionTask::EnergySuspect concat_suspect(const Mistake& mistake, const Concat& form) {
  return {mistake, [form](const Module& module, const Plain& query, const Plain& values) {
            return concat(module, query, values, form);
          }};
}

AttentionTask::EnergySuspect general_suspect(const Mistake& mistake,
                                             const std::function<double(double s, double key)>& term) {
  return {mistake, [term](const Module& module, const Plain& query, const Plain& values) {
            const Plain W = exercise::parameter(module, "W_a.weight");
            return energies(query, values, [&](auto b, auto t) {
              return total(query.size(1), [&](auto q) { return term(query(b, q), key(W, values, t, b, q)); });
            });
          }};
}

}  // namespace

Plain plain_general(const Plain& W, const Plain& query, const Plain& values) {
  return energies(query, values, [&](auto b, auto t) {
    return total(query.size(1), [&](auto q) { return query(b, q) * key(W, values, t, b, q); });
  });
}

std::vector<exercise::Stage> dot_stages(const Luong::MakeAttention& make) {
  return of_part(
      "dot",
      exercise::attention_stages(
          {.make = make,
           .sizes = {.query = 4, .value = 4, .energy = 2},
           .parameters = [](const AttentionSizes&) { return std::vector<Parameter>(); },
           .energies = [](const Module&, const Plain& query,
                          const Plain& values) { return dot(query, values); },
           .suspects =
               {
                   {scaled,
                    [](const Module&, const Plain& query, const Plain& values) {
                      return divided(dot(query, values), std::sqrt(static_cast<double>(query.size(1))));
                    }},
                   {ignores_query,
                    [](const Module&, const Plain& query, const Plain& values) {
                      return energies(query, values, [&](auto b, auto t) {
                        return total(values.size(2), [&](auto d) { return values(t, b, d); });
                      });
                    }},
                   {one_query,
                    [](const Module&, const Plain& query, const Plain& values) {
                      return energies(query, values, [&](auto b, auto t) {
                        return total(values.size(2), [&](auto d) { return query(0, d) * values(t, b, d); });
                      });
                    }},
               }}));
}

std::vector<exercise::Stage> general_stages(const Luong::MakeAttention& make) {
  return of_part("general",
                 exercise::attention_stages(
                     {.make = make,
                      .sizes = {.query = 4, .value = 6, .energy = 4},
                      .parameters =
                          [](const AttentionSizes& n) {
                            return std::vector<Parameter>{{"W_a.weight", {n.query, n.value}, "(Q, D)"}};
                          },
                      .energies =
                          [](const Module& module, const Plain& query, const Plain& values) {
                            return plain_general(exercise::parameter(module, "W_a.weight"), query, values);
                          },
                      .suspects =
                          {
                              general_suspect({"extra-tanh", "The energies contain a tanh.",
                                               "e_tj = s_tᵀ W_a h_j is only a product; concat has the tanh."},
                                              [](double s, double k) { return s * std::tanh(k); }),
                              general_suspect(ignores_query, [](double, double k) { return k; }),
                              {scaled,
                               [](const Module& module, const Plain& query, const Plain& values) {
                                 return divided(
                                     plain_general(exercise::parameter(module, "W_a.weight"), query, values),
                                     std::sqrt(static_cast<double>(query.size(1))));
                               }},
                          }}));
}

std::vector<exercise::Stage> concat_stages(const Luong::MakeAttention& make) {
  return of_part(
      "concat",
      exercise::attention_stages(
          {.make = make,
           .sizes = {.query = 4, .value = 6, .energy = 7},
           .parameters =
               [](const AttentionSizes& n) {
                 return std::vector<Parameter>{{"W_a.weight", {n.energy, n.query + n.value}, "(A, Q + D)"},
                                               {"v_a.weight", {1, n.energy}, "(1, A)"}};
               },
           .energies = [](const Module& module, const Plain& query,
                          const Plain& values) { return concat(module, query, values, {}); },
           .suspects =
               {
                   concat_suspect({"halves-swapped", "W_a is applied to [h_j; s_t].",
                                   "The first Q columns of W_a belong to the query: [s_t; h_j]."},
                                  {.swapped = true}),
                   concat_suspect({"no-tanh", "The tanh is missing.",
                                   "Without tanh, the term of s_t is the same for every j and cancels in the "
                                   "softmax: the weights are the same at every step."},
                                  {.tanh = false}),
                   concat_suspect({"tanh-outside", "The tanh is applied to v_a · W_a [s_t; h_j].",
                                   "Apply tanh to the A numbers before the product with v_a."},
                                  {.tanh = false, .tanh_outside = true}),
                   concat_suspect({"tanh-first", "The tanh is applied to [s_t; h_j], before W_a.",
                                   "Multiply by W_a first, then apply tanh to the A numbers."},
                                  {.tanh = false, .tanh_first = true}),
                   concat_suspect({"mean-over-energies", "The energies are the mean over A, not the sum.",
                                   "v_a · tanh(…) is a plain sum of A products."},
                                  {.mean = true}),
                   concat_suspect({"no-v", "The A numbers are summed without v_a.",
                                   "v_a weights the A results of tanh."},
                                  {.weighted = false}),
                   concat_suspect({"tanh-twice", "Another tanh is applied to e_tj.",
                                   "e_tj = v_a · tanh(…): one tanh, before the product with v_a."},
                                  {.tanh_twice = true}),
                   concat_suspect(one_query, {.first_query = true}),
                   concat_suspect(ignores_query, {.query = false}),
               }}));
}
