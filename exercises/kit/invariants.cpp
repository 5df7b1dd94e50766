#include "invariants.hpp"

#include <algorithm>
#include <exception>

namespace exercise {

std::vector<Plain> copied(const Results& results) {
  std::vector<Plain> out;
  for (const auto& [name, tensor] : results) out.push_back(tensor.defined() ? Plain(tensor) : Plain());
  return out;
}

void expect_same(const Results& got, const std::vector<Plain>& expected, const std::string& when,
                 const Mistake& mistake) {
  expect(got.size() == expected.size(), mistake, "The state has other tensors, " + when + '.');
  for (std::size_t i = 0; i < got.size(); ++i)
    expect_values(got[i].first + ", " + when, got[i].second, expected[i], {}, mistake);
}

void expect_no_exception(const std::function<void()>& f, const Mistake& mistake, const std::string& says) {
  try {
    f();
  } catch (const Finding& finding) {
    if (finding.mistake.name == mistake.name) throw;
    throw Finding{.mistake = mistake, .says = says, .got = finding.says + ' ' + finding.got};
  } catch (const std::exception& error) {
    throw Finding{.mistake = mistake, .says = says, .got = error.what()};
  }
}

void expect_with_equal_sizes(const std::function<void()>& check, const std::string& sizes) {
  try {
    check();
  } catch (Finding& finding) {
    finding.says = "If " + sizes + " are equal: " + finding.says;
    if (finding.mistake.name == "factor") throw;  // a factor may be right only if sizes differ
    finding.mistake = {"by-shape", "A tensor is used in place of another one of the same shape.",
                       "Choose a tensor by its meaning, not by its shape."};
    throw;
  }
}

void expect_deterministic(const std::function<Results()>& fresh) {
  const std::vector<Plain> first = copied(fresh());
  expect_same(fresh(), first, "computed again from the same inputs",
              {"not-deterministic", "The result is random.",
               "The equations contain no noise and no dropout: where are random numbers drawn?"});
}

void expect_remembers_nothing(const std::vector<std::function<Results()>>& calls,
                              const std::vector<std::vector<Plain>>& expected) {
  for (std::size_t n = 0; n < 2 * calls.size(); ++n) {
    const std::size_t i = n % calls.size();
    const std::string when = n == 0 ? "of a first call" : "after other calls";
    expect_no_exception([&] { expect_same(calls[i](), expected[i], when, remembers); }, remembers,
                        "A call fails after calls with other inputs, but not by itself.");
  }
}

void expect_right_again(const std::function<void()>& check, const std::function<Results()>& call,
                        const std::function<void()>& other) {
  try {
    check();
  } catch (Finding& finding) {
    const std::vector<Plain> before = copied(call());
    other();
    const std::vector<Plain> after = copied(call());
    const bool same = std::ranges::equal(before, after, [](const Plain& a, const Plain& b) {
      return a.shape() == b.shape() && a.values() == b.values();
    });
    if (!same) finding.mistake = remembers;
    throw;
  }
}

void expect_same_in_training(gradus::nn::Module& module, const std::function<Results()>& run) {
  module.eval();
  const std::vector<Plain> evaluated = copied(run());
  module.train();
  for (const std::string when : {"in training mode", "at a second call in training mode"})
    expect_same(run(), evaluated, when,
                {"training-differs", "The result in training mode differs from that in evaluation mode.",
                 "The equations are the same in both modes: use neither is_training() nor dropout."});
}

}  // namespace exercise
