#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/data/tokens.hpp>
#include <gradus/models/beam_search.hpp>
#include <gradus/models/model.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "answer.hpp"
#include "kit/invariants.hpp"
#include "variants.hpp"

namespace {

using exercise::Mistake;
using search::Hypothesis;
using search::Model;
using search::Options;
using search::Tokens;
using namespace gradus;

const Mistake past_eos{"past-eos", "A finished hypothesis is continued.",
                       "A hypothesis that ends in EOS leaves the list of live ones."};
const Mistake with_bos{"foreign-token", "",
                       "y holds only the tokens that were written: no BOS, and no other marker."};
const Mistake called_again{"called-again", "The model is called more often than needed.",
                           "Call it once for each live hypothesis and step, and keep the result."};
const Mistake called_at_the_end{
    "called-at-the-end", "The model is called after the last step.",
    "After max_length tokens nothing is continued: only the scores are compared."};
const Mistake inexact{"inexact", "log_p agrees to about five digits.", "Add doubles, not floats."};
const Mistake wrong_sum{"wrong-sum", "log_p is not ln p(y).",
                        "log_p is the sum of ln p over all tokens of y, EOS included."};
const Mistake wrong_score{"wrong-score", "score is not ln p / lp.",
                          "score = log_p / ((5 + |y|) / 6)^α, and |y| counts EOS."};

std::string said(const Tokens& y) {
  std::string out;
  for (const std::int64_t token : y) out += (out.empty() ? "" : " ") + std::to_string(token);
  return out.empty() ? "nothing" : out;
}

std::string said(const Hypothesis& h) {
  return said(h.y) + "   (ln p " + exercise::text(h.log_p, 6) + ", score " + exercise::text(h.score, 6) + ")";
}

// A random model. Each beginning y has its own distribution of the next token. `ending` is added to the logit
// of EOS.
Model random_model(std::int64_t V, std::int64_t eos, std::uint64_t seed, double ending) {
  return {eos, [=](const Tokens& y) {
            std::uint64_t key = seed;
            for (const std::int64_t token : y) key = key * 1000003 + static_cast<std::uint64_t>(token) + 1;
            Generator generator(key);
            std::vector<double> z;
            double total = 0;
            for (std::int64_t k = 0; k < V; ++k) {
              z.push_back(2 * generator.normal() + (k == eos ? ending : 0));
              total += std::exp(z.back());
            }
            for (double& value : z) value -= std::log(total);
            return z;
          }};
}

struct Case {
  std::int64_t V, eos;
  std::uint64_t seed;
  double ending;
  Options options;

  Model model() const { return random_model(V, eos, seed, ending); }
  std::string text() const {
    return "V = " + std::to_string(V) + ", EOS is " + std::to_string(eos) +
           ", K = " + std::to_string(options.width) + ", α = " + exercise::text(options.alpha) +
           ", max_length = " + std::to_string(options.max_length);
  }
};

std::vector<Case> many(const std::vector<std::int64_t>& widths, std::int64_t longest, double ending) {
  std::vector<Case> list;
  for (const std::int64_t width : widths)
    for (const double alpha : {0.0, 0.6, 1.3, 3.0})
      for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const std::int64_t V = 3 + static_cast<std::int64_t>(seed % 3),
                           eos = static_cast<std::int64_t>(seed) % V;
        list.push_back({V, eos, seed, ending, {width, alpha, longest - static_cast<std::int64_t>(seed % 2)}});
      }
  return list;
}

using Outputs = std::vector<Hypothesis>;

bool same_output(const Hypothesis& a, const Hypothesis& b) { return a.y == b.y; }

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); }

bool same(const Hypothesis& a, const Hypothesis& b) {
  return same_output(a, b) && near(a.log_p, b.log_p) && near(a.score, b.score);
}

Outputs outputs(const BeamSearch& answer, const std::vector<Case>& cases) {
  Outputs all;
  for (const Case& c : cases) all.push_back(answer(c.model(), c.options));
  return all;
}

// The mistake of the first known fault whose outputs agree with `got` in all cases. Nothing if there is none.
std::optional<Mistake> diagnosis(const std::vector<Case>& cases, const Outputs& got,
                                 bool (*agree)(const Hypothesis&, const Hypothesis&)) {
  for (const variants::Known& known : variants::known()) {
    bool all = true;
    for (std::size_t k = 0; k < cases.size() && all; ++k)
      all = agree(got[k], variants::beam(cases[k].model(), cases[k].options, known.fault));
    if (all) return known.mistake;
  }
  return {};
}

Mistake mistake_in(const BeamSearch& answer, const std::vector<Case>& cases, const Outputs& got,
                   const Hypothesis& first_wrong, const Hypothesis& expected) {
  if (const auto known = diagnosis(cases, got, same)) return *known;
  if (same_output(first_wrong, expected))
    return near(first_wrong.log_p, expected.log_p)                                          ? wrong_score
           : std::abs(first_wrong.log_p - expected.log_p) < 1e-5 * std::abs(expected.log_p) ? inexact
                                                                                            : wrong_sum;
  if (const auto known = diagnosis(cases, got, same_output)) return *known;
  const Outputs again = outputs(answer, cases);
  if (!std::equal(got.begin(), got.end(), again.begin(), same_output)) return exercise::remembers;
  return {.name = "values",
          .hint =
              "Print the live hypotheses after each step of this case, and compare them with a list made by "
              "hand."};
}

// Expects the outputs of right() in all cases. Reports mistake_in() for the first wrong one.
template <class Right>
void expect_outputs(const BeamSearch& answer, const std::vector<Case>& cases, const Right& right,
                    const std::string& says) {
  const Outputs got = outputs(answer, cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Hypothesis expected = right(cases[i]);
    if (same(got[i], expected)) continue;
    throw exercise::Finding{
        .mistake = mistake_in(answer, cases, got, got[i], expected),
        .says = same_output(got[i], expected) ? "The output is right, but log_p or score is not." : says,
        .where = cases[i].text(),
        .got = said(got[i]),
        .expected = said(expected)};
  }
}

Hypothesis by_beam(const Case& c) { return variants::beam(c.model(), c.options); }

// Checks how often, and with which tokens, a search calls the model.
void calls(const BeamSearch& answer) {
  for (const Case& c : many({1, 3}, 5, 0.5)) {
    const Model plain = c.model();
    std::map<Tokens, int> asked;
    const Model watched{c.eos, [&](const Tokens& y) {
                          for (const std::int64_t token : y) {
                            exercise::expect(token != c.eos, past_eos,
                                             "The model is asked to continue a finished output.", said(y),
                                             "no EOS, which is " + std::to_string(c.eos) + " here");
                            exercise::expect(token >= 0 && token < c.V, with_bos,
                                             "The model gets a token that does not exist.", said(y),
                                             "tokens 0 … " + std::to_string(c.V - 1));
                          }
                          exercise::expect(++asked[y] == 1, called_again,
                                           "The model is called twice with the same beginning.", said(y));
                          return plain.log_p(y);
                        }};
    answer(watched, c.options);
    exercise::expect(asked.contains(Tokens()), exercise::remembers,
                     "The search does not ask this model for its first token: it uses an earlier model's.");
    std::map<std::size_t, std::int64_t> by_length;
    for (const auto& [y, n] : asked) ++by_length[y.size()];
    std::int64_t most = 0;
    for (const auto& [length, n] : by_length) most = std::max(most, n);
    using variants::Fault;
    exercise::expect(
        most <= c.options.width,
        variants::mistake_of(most == c.options.width + 1 ? Fault::wider : Fault::children_of_each),
        "In one step, the model is asked to continue more than K beginnings.", std::to_string(most),
        "at most " + std::to_string(c.options.width));
  }
}

void greedy(const BeamSearch& answer) {
  std::vector<Case> cases = many({1}, 5, 0.5);
  for (const Case& c : many({1}, 9, -2)) cases.push_back(c);  // longer outputs
  expect_outputs(answer, cases, by_beam, "With K = 1 the output is not that of greedy decoding.");
}

void small_beams(const BeamSearch& answer) {
  std::vector<Case> cases = many({2, 3, 4}, 5, 0.5);
  for (const Case& c : many({2, 3}, 4, -4)) cases.push_back(c);    // outputs rarely end
  for (const Case& c : many({2}, 10, 0)) cases.push_back(c);       // more than K hypotheses finish
  for (const Case& c : many({7, 12}, 10, -3)) cases.push_back(c);  // K > V
  expect_outputs(answer, cases, by_beam, "The output is not the one that beam search finds.");
}

// Checks that the model is not called for outputs of max_length tokens.
void calls_at_the_end(const BeamSearch& answer) {
  for (const Case& c : many({1, 3}, 4, -40)) {
    const Model plain = c.model();
    answer({c.eos,
            [&](const Tokens& y) {
              exercise::expect(std::ssize(y) < c.options.max_length, called_at_the_end,
                               "The model is asked to continue an output of max_length tokens.",
                               std::to_string(y.size()) + " tokens",
                               "fewer than " + std::to_string(c.options.max_length));
              return plain.log_p(y);
            }},
           c.options);
  }
}

void nothing_ends(const BeamSearch& answer) {
  expect_outputs(answer, many({1, 3}, 4, -40), by_beam,
                 "If no hypothesis is finished, the best live one must be returned.");
  calls_at_the_end(answer);
}

// The width 5000 exceeds V^max_length, so the beam never drops a hypothesis, and the result is exact.
void all_outputs(const BeamSearch& answer) {
  expect_outputs(
      answer, many({5000}, 5, 0.5),
      [](const Case& c) { return variants::exhaustive(c.model(), c.options.alpha, c.options.max_length); },
      "A beam that keeps everything must find the best of all outputs.");
}

// A library model with attention, for one source. Maps the tokens written so far to ln p of the next
// token.
class Decoder {
 public:
  Decoder(const models::Seq2Seq& model, const Tensor& source)
      : model_(model), start_(model.start(source, tensor(Tokens{source.size(0)}))) {}

  // Log-probabilities of EOS and the ordinary tokens. The special tokens below EOS are never written.
  std::vector<double> log_p(const Tokens& y) {
    const NoGrad no_grad;
    nn::DecoderStep::Start at = start_;
    Tensor logits;
    for (std::size_t t = 0; t <= y.size(); ++t) {
      const std::int64_t previous = t == 0 ? data::bos : y[t - 1] + data::eos;
      nn::DecoderStep::Output out = model_.decoder->step(tensor(Tokens{previous}), at.state, at.memory);
      at.state = out.state;
      logits = out.logits;
    }
    const std::vector<double> all = log_softmax(logits).to_vector<double>();
    return {all.begin() + data::eos, all.end()};
  }

 private:
  const models::Seq2Seq& model_;
  nn::DecoderStep::Start start_;
};

void with_the_library(const BeamSearch& answer) {
  const std::int64_t V = 9;
  seed(3);
  const auto model = models::make_model({.embedding = 6, .hidden = 8, .energy = 7}, {V, V});
  exercise::fill(*model, 4, 0.8);  // random weights give uncertain predictions
  model->eval();
  for (const Tokens& x : {Tokens{4, 5, 6}, Tokens{8, 4, 4, 7, 5}, Tokens{6}}) {
    const Tensor source = tensor(x, {std::ssize(x), 1});
    Decoder decoder(*model, source);
    for (const std::int64_t width : {1, 2, 5}) {
      for (const double alpha : {0.0, 1.0}) {
        const Options options{width, alpha, 7};
        const models::Decoded library =
            models::beam_search(*model, source, tensor(Tokens{std::ssize(x)}),
                                {.width = width, .length_penalty = alpha}, options.max_length)[0][0];
        const Hypothesis got = answer({0, [&](const Tokens& y) { return decoder.log_p(y); }}, options);
        Tokens y = got.y;
        for (std::int64_t& token : y) token += data::eos;
        exercise::expect(y == library.tokens,
                         {"values", "", "Every earlier stage passed: print what your search keeps."},
                         "With a model of the library, the output differs from the library's.", said(y),
                         said(library.tokens));
      }
    }
  }
}

}  // namespace

exercise::Exercise beam_search_exercise(const BeamSearch& answer) {
  return {.name = "beam_search",
          .stages = {{"calls of the model", [=] { calls(answer); }},
                     {"a beam of 1 is greedy", [=] { greedy(answer); }},
                     {"small beams", [=] { small_beams(answer); }},
                     {"nothing ends", [=] { nothing_ends(answer); }},
                     {"all outputs", [=] { all_outputs(answer); }},
                     {"a model of the library", [=] { with_the_library(answer); }}}};
}
