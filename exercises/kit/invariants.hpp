#pragma once

#include <gradus/nn/module.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "expect.hpp"

/// Invariants of any solution: equal inputs give equal results, regardless of earlier computations, and also
/// in training mode.
namespace exercise {

/// The named results of one run: {{"weights", …}, {"context", …}}.
using Results = std::vector<std::pair<std::string, gradus::Tensor>>;

inline const Mistake remembers{"remembers", "A member or a static variable keeps data of another call.",
                               "Pass data from step to step only in the arguments and results. The same "
                               "object serves several batches in "
                               "turn, of other sizes and lengths, so its functions must not change members."};
inline const Mistake changes_its_input{"changes-its-input", "An input was changed in place.",
                                       "Make a new tensor, or clone() it first: the caller reads it again."};
inline const Mistake returned_weights_detached{
    "returned-weights-detached", "The returned weights were detached from the tape.",
    "Return the weights themselves: a loss may use them (exercise 14), and so may the next step."};
inline const Mistake pads_leak{
    "pads-leak", "A masked energy is finite, or a masked position is read.",
    "A pad's weight must be exactly 0, whatever the energies are. So must the weight of any other excluded "
    "position. Its energy is −∞, -std::numeric_limits<double>::infinity(), not −30 or −10000."};
inline const Mistake small_weights{
    "small-weights", "Small weights are lost: they were set to 0 or to a smallest value.",
    "Even a weight of 1e-100 is not 0: limit neither the weights nor the energies."};
inline const Mistake overflow{
    "overflow", "exp(e) is infinite for e > 709, and ∞/∞ is NaN. If all powers are 0, 0/0 is NaN, too.",
    "Use softmax. Or subtract from each energy the largest one of the positions that take part."};
inline const Mistake max_over_pads{
    "max-over-pads",
    "The maximum includes the pads, so that all other powers are 0; or a pad gives exp(e) · 0 = ∞ · 0.",
    "Set the pads' energies to −∞ first. The maximum is that of the real positions."};

/// Copies of the values. Later in-place changes do not affect them.
std::vector<Plain> copied(const Results& results);

/// Expects `got` to equal `expected`, the results of an earlier run; otherwise reports `mistake`. `when` is
/// appended to the tensor's name in the message, as in "weights, after other calls".
void expect_same(const Results& got, const std::vector<Plain>& expected, const std::string& when,
                 const Mistake& mistake);

/// Runs `check`, which uses equal sizes for axes that usually differ in size. The answer has already passed
/// with different sizes. If `check` throws a Finding, the answer therefore confuses tensors of the same
/// shape, and the Finding's mistake becomes "by-shape". Keeps the mistake "factor": a factor in the answer
/// may be right only for the different sizes.
void expect_with_equal_sizes(const std::function<void()>& check, const std::string& sizes);

/// Runs `f`. If the learner's code throws, or if `f` throws a Finding with another mistake, throws a Finding
/// with `mistake` and `says`. The `got` of this Finding is the original message.
void expect_no_exception(const std::function<void()>& f, const Mistake& mistake, const std::string& says);

/// Expects two calls to give the same results; otherwise reports "not-deterministic". `fresh` creates new
/// objects, so that results cannot depend on earlier calls.
void expect_deterministic(const std::function<Results()>& fresh);

/// Makes all calls in turn, twice. The calls share objects. calls[i] must always return expected[i], the
/// results of the same call with new objects; otherwise reports "remembers".
void expect_remembers_nothing(const std::vector<std::function<Results()>>& calls,
                              const std::vector<std::vector<Plain>>& expected);

/// Runs `check`, which checks a second batch. If `check` fails, runs `call`, then `other`, then `call` again.
/// `call` computes the second batch. `other` is a call with different sizes. If the two results of `call`
/// differ, the finding's mistake becomes "remembers".
void expect_right_again(const std::function<void()>& check, const std::function<Results()>& call,
                        const std::function<void()>& other);

/// Expects two runs in training mode to equal one in evaluation mode; otherwise reports "training-differs".
/// Leaves the module in training mode.
void expect_same_in_training(gradus::nn::Module& module, const std::function<Results()>& run);

}  // namespace exercise
