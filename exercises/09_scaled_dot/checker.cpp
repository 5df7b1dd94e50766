#include <gradus/autograd/random.hpp>
#include <gradus/models/loss.hpp>
#include <gradus/nn/additive_attention.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>

#include "answer.hpp"
#include "kit/attention.hpp"
#include "kit/training.hpp"
#include "museum/subject.hpp"
#include "support/page/table.hpp"
#include "support/training/reversal.hpp"

namespace {

using exercise::AttentionSizes;
using exercise::Mistake;
using exercise::Plain;
using gradus::Shape;
using gradus::nn::Attention;
using gradus::nn::Module;

const Mistake unscaled{"unscaled", "The energies are not divided by √d.",
                       "Energies grow with d: what does the softmax do with large energies?"};
const Mistake divided_by_d{"divided-by-d", "The energies are divided by d, not by √d.",
                           "A sum of d terms of variance 1 has variance d. Which factor reduces it to 1?"};
const Mistake other_size{"other-size", "The energies are divided by the root of another size.",
                         "d is the number of products in one energy."};
const Mistake rounded_root{"rounded-root", "√d was rounded to a whole number.",
                           "std::sqrt(d) is a double: do not store it in an integer."};
const Mistake squared{"squared", "The product q · k_j is squared.", "e_j = q · k_j / √d."};
const Mistake absolute{"absolute", "The energies are absolute values.",
                       "A key opposite to the query has a negative energy."};
const Mistake multiplied{"multiplied", "The energies are multiplied by √d.",
                         "Divide, so that they become smaller."};
const Mistake mean{"mean", "The energies are means of products, divided by √d as well.",
                   "q · k is a sum, not a mean."};
const Mistake cosine{"cosine", "The query, the keys, or both were normalised to length 1.",
                     "Divide only by √d: the lengths of q and k_j affect the energy."};
const Mistake fourth_root{"fourth-root", "The energies are divided by the fourth root of d.",
                          "Divide by √d once, or each of q and k_j by the fourth root."};
const Mistake distance{"distance", "The energies are negative squared distances of q and k_j.",
                       "e_j = q · k_j / √d: multiply and sum."};
const Mistake tanh_left{"tanh", "A tanh is applied to the product.", "Only the additive score has a tanh."};
const Mistake tanh_of_part{"tanh", "A tanh is applied to the query or to the keys.",
                           "Only the additive score has a tanh."};
const Mistake additive_score{"additive", "The energies are sums of tanh(q + k_j), as in the additive score.",
                             "The dot product has no tanh: multiply q and k_j, and sum over d."};
const Mistake query_ignored{"query-ignored", "The energies do not depend on the query.",
                            "e_j = q · k_j / √d."};
const Mistake keys_of_one{"keys-of-one-sentence", "Every query is multiplied with the first sentence's keys.",
                          "Row b of the query belongs to keys[:, b]."};
const Mistake softmax_twice{"softmax-twice", "The softmax was taken twice.",
                            "ScoredAttention applies the softmax to the result of energies()."};

// Element i of the product W x.
double projected(const Plain& W, std::int64_t i, const auto& x) {
  double y = 0;
  for (std::int64_t j = 0; j < W.size(1); ++j) y += W(i, j) * x(j);
  return y;
}

// The two vectors of one energy: q and k_j, of size d.
struct Pair {
  std::vector<double> q, k;
  double dot() const {
    double e = 0;
    for (std::size_t i = 0; i < q.size(); ++i) e += q[i] * k[i];
    return e;
  }
  double root() const { return std::sqrt(static_cast<double>(q.size())); }  // √d
};

// e_bt = score(q_b, k_tc): the query of sentence b with the key at position t of sentence c = sentence(b).
// The module's W_q and W_k project queries and keys.
template <class Score>
exercise::PlainEnergies energies(
    const Score& score,
    const std::function<std::int64_t(std::int64_t)>& sentence = [](auto b) { return b; }) {
  return [=](const Module& module, const Plain& query, const Plain& values) {
    const Plain W_q = exercise::parameter(module, "W_q.weight"),
                W_k = exercise::parameter(module, "W_k.weight");
    Plain e(Shape{query.size(0), values.size(0)});
    for (std::int64_t b = 0; b < e.size(0); ++b) {
      for (std::int64_t t = 0; t < e.size(1); ++t) {
        Pair pair;
        for (std::int64_t i = 0; i < W_q.size(0); ++i) {
          pair.q.push_back(projected(W_q, i, [&](auto j) { return query(b, j); }));
          pair.k.push_back(projected(W_k, i, [&](auto j) { return values(t, sentence(b), j); }));
        }
        e(b, t) = score(pair);
      }
    }
    return e;
  };
}

double norm(const std::vector<double>& x) {
  double squares = 0;
  for (const double element : x) squares += element * element;
  return std::sqrt(squares);
}

double squared_distance(const Pair& x) {
  double squares = 0;
  for (std::size_t i = 0; i < x.q.size(); ++i) squares += (x.q[i] - x.k[i]) * (x.q[i] - x.k[i]);
  return squares;
}

double scaled(const Pair& x) { return x.dot() / x.root(); }

std::vector<double> each_tanh(std::vector<double> x) {
  for (double& element : x) element = std::tanh(element);
  return x;
}

double sum_of_tanhs(const Pair& x) {
  double e = 0;
  for (std::size_t i = 0; i < x.q.size(); ++i) e += std::tanh(x.q[i] + x.k[i]);
  return e;
}

// The dot product divided by √size(query, values).
exercise::PlainEnergies divided_by_root_of(std::int64_t (*size)(const Plain& query, const Plain& values)) {
  return [=](const Module& module, const Plain& query, const Plain& values) {
    const double root = std::sqrt(static_cast<double>(size(query, values)));
    return energies([=](const Pair& x) { return x.dot() / root; })(module, query, values);
  };
}

exercise::PlainEnergies already_weights() {
  return [](const Module& module, const Plain& query, const Plain& values) {
    const std::vector<std::int64_t> all(static_cast<std::size_t>(query.size(0)), values.size(0));
    return exercise::plain_weights(energies(scaled)(module, query, values), all);
  };
}

std::vector<exercise::Parameter> parameters(const AttentionSizes& n) {
  return {{"W_q.weight", {n.energy, n.query}, "(d, Q)"}, {"W_k.weight", {n.energy, n.value}, "(d, D)"}};
}

exercise::AttentionTask task(const MakeScaledDot& answer) {
  return {.make = [=](const AttentionSizes& n) { return answer(n.query, n.value, n.energy); },
          .sizes = {.query = 4, .value = 6, .energy = 10},  // √10 is irrational
          .parameters = parameters,
          .energies = energies(scaled),
          .suspects = {
              {unscaled, energies([](const Pair& x) { return x.dot(); })},
              {divided_by_d, energies([](const Pair& x) { return scaled(x) / x.root(); })},
              {other_size, divided_by_root_of([](auto&, auto& values) { return values.size(0); })},
              {other_size, divided_by_root_of([](auto&, auto& values) { return values.size(1); })},
              {other_size, divided_by_root_of([](auto&, auto& values) { return values.size(2); })},
              {other_size, divided_by_root_of([](auto& query, auto&) { return query.size(1); })},
              {rounded_root, energies([](const Pair& x) { return x.dot() / std::floor(x.root()); })},
              {rounded_root, energies([](const Pair& x) { return x.dot() / std::ceil(x.root()); })},
              {squared, energies([](const Pair& x) { return x.dot() * scaled(x); })},
              {absolute, energies([](const Pair& x) { return std::abs(scaled(x)); })},
              {multiplied, energies([](const Pair& x) { return x.dot() * x.root(); })},
              {mean, energies([](const Pair& x) { return scaled(x) / static_cast<double>(x.q.size()); })},
              {cosine, energies([](const Pair& x) { return x.dot() / (norm(x.q) * norm(x.k)); })},
              {cosine, energies([](const Pair& x) { return scaled(x) / (norm(x.q) * norm(x.k)); })},
              {cosine, energies([](const Pair& x) { return scaled(x) / norm(x.k); })},
              {cosine, energies([](const Pair& x) { return scaled(x) / norm(x.q); })},
              {cosine, energies([](const Pair& x) { return x.dot() / norm(x.q); })},
              {cosine, energies([](const Pair& x) { return x.dot() / norm(x.k); })},
              {fourth_root, energies([](const Pair& x) { return x.dot() / std::sqrt(x.root()); })},
              {distance, energies([](const Pair& x) { return -squared_distance(x); })},
              {distance, energies([](const Pair& x) { return -squared_distance(x) / 2; })},
              {distance, energies([](const Pair& x) { return -squared_distance(x) / x.root(); })},
              {distance, energies([](const Pair& x) { return -squared_distance(x) / 2 / x.root(); })},
              {additive_score, energies(sum_of_tanhs)},
              {additive_score, energies([](const Pair& x) { return sum_of_tanhs(x) / x.root(); })},
              {tanh_of_part, energies([](const Pair& x) { return scaled({x.q, each_tanh(x.k)}); })},
              {tanh_of_part, energies([](const Pair& x) { return scaled({each_tanh(x.q), x.k}); })},
              {tanh_left, energies([](const Pair& x) { return std::tanh(scaled(x)); })},
              {tanh_left, energies([](const Pair& x) { return std::tanh(x.dot()) / x.root(); })},
              {query_ignored,
               energies([](const Pair& x) { return scaled({std::vector<double>(x.q.size(), 1), x.k}); })},
              {keys_of_one, energies(scaled, [](std::int64_t) { return 0; })},
              {softmax_twice, already_weights()},
          }};
}

// In subclasses of AdditiveAttention, fused_score() returns no score. So the decoder calls attend() at every
// step.
class StepByStep : public gradus::nn::AdditiveAttention {
  using AdditiveAttention::AdditiveAttention;
};

template <class Additive>
std::unique_ptr<Attention> make_additive(const gradus::models::AttentionSizes& n) {
  return std::make_unique<Additive>(n.query, n.value, n.energy);
}

// Milliseconds for the loss and gradients of 64 sources of this length: the fastest of five runs.
double milliseconds(const gradus::models::Seq2Seq& model, std::int64_t length) {
  const auto next = tutorial::training_batches(gradus::data::Reversal(10, length, length), 1);
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 5; ++i) {
    const gradus::data::Batch batch = next();
    const auto start = std::chrono::steady_clock::now();
    gradus::models::loss(model, batch).total.backward();
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    shortest = std::min(shortest, taken.count());
  }
  return shortest;
}

tutorial::Table quality(const exercise::ByLength& additive, const exercise::ByLength& yours) {
  tutorial::Table table{
      .name = "quality", .rows_are = "length", .columns = {"additive", "yours"}, .rows = {}};
  for (std::size_t i = 0; i < yours.lengths.size(); ++i)
    table.rows.push_back({std::to_string(yours.lengths[i]), {additive.exact[i], yours.exact[i]}});
  return table;
}

void measured(const MakeScaledDot& answer) {
  const exercise::Reversals task;
  const auto additive = exercise::bahdanau_with(make_additive<gradus::nn::AdditiveAttention>, task);
  const auto step_by_step = exercise::bahdanau_with(make_additive<StepByStep>, task);
  const auto yours = exercise::bahdanau_with(
      [&](const gradus::models::AttentionSizes& n) { return answer(n.query, n.value, n.energy); }, task);

  const exercise::ByLength learnt_by_additive = exercise::train_on_reversals("additive", *additive, task);
  const exercise::ByLength learnt = exercise::train_on_reversals("yours", *yours, task);
  std::cout << "\n  exact match on held-out sources after " << task.steps << " updates\n"
            << tutorial::text(quality(learnt_by_additive, learnt));

  tutorial::Table times{.name = "time",
                        .rows_are = "length",
                        .columns = {"additive", "additive, step by step", "yours"},
                        .rows = {},
                        .digits = 1};
  for (const std::int64_t length : {4, 8, 16, 32}) {
    times.rows.push_back({std::to_string(length),
                          {milliseconds(*additive, length), milliseconds(*step_by_step, length),
                           milliseconds(*yours, length)}});
  }
  std::cout << "\n  milliseconds for the loss of 64 sources and its gradients, best of 5\n"
            << tutorial::text(times) << '\n';
  exercise::expect_learnt(learnt, 0.7);
}

}  // namespace

exercise::Exercise scaled_dot_exercise(const MakeScaledDot& answer) {
  exercise::Exercise all{.name = "scaled_dot", .stages = exercise::attention_stages(task(answer))};
  all.stages.push_back({"time and quality", [=] { measured(answer); }, true});
  all.programs = {[answer](const museum::Sizes& n) {
    return museum::around(n, answer(n.hidden, n.annotation(), n.energy));
  }};
  return all;
}
