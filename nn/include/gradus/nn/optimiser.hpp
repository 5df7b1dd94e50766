#pragma once

#include <gradus/autograd/gradcheck.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// One parameter at its step t, for a rule to change in place.
struct Update {
  Tensor parameter;            ///< θ
  Tensor gradient;             ///< g
  std::span<Tensor> averages;  ///< what the rule keeps of earlier steps, of θ's shape and dtype; first zeros
  std::int64_t t;              ///< from 1; counts this parameter's own steps
  std::int64_t begin, end;     ///< the elements to change; all, unless the rule is elementwise
};

/// What changes parameters by their gradients, a group at a time. The rules are SGD, Adam and so on.
///
/// A parameter without a gradient at a step, or whose requires_grad is off, is left alone then, and does not
/// count the step.
class Optimiser {
 public:
  virtual ~Optimiser() = default;
  Optimiser(const Optimiser&) = delete;
  Optimiser& operator=(const Optimiser&) = delete;

  /// One update from the gradients that the parameters have now.
  /// @throws Error when a parameter no longer has the shape and dtype of its averages; nothing has changed
  /// then.
  void step();
  void zero_grad();

  std::size_t group_count() const { return group_count_; }
  /// @throws Error when there is no such group.
  double learning_rate(std::size_t group = 0) const;
  /// Of every group, or of one. @throws Error for a rate below 0 or not finite, or when there is no such
  /// group.
  void set_learning_rate(double rate);
  void set_learning_rate(std::size_t group, double rate);

  /// A copy of all that changes from step to step: "group.0.learning_rate", f64 (), and so on for each group;
  /// for each parameter, counted from 0 through all groups, "0.steps", i64 (), and after its first step the
  /// rule's averages, such as "0.m" and "0.v", of the parameter's shape and dtype.
  NamedTensors state() const;
  /// Goes on from there: the next steps give the bits that they would have given.
  /// @throws Error that lists all entries that are missing, unexpected or do not fit; nothing is loaded then.
  void load_state(const NamedTensors& state);

 protected:
  /// `name` is how messages begin. @throws Error for a parameter that is undefined, or given twice.
  Optimiser(std::string name, const std::vector<std::vector<Tensor>>& groups);
  /// Makes the averages of all that is trained now, for the end of a constructor: what stays for the whole
  /// training then lies together in memory, and not between what comes and goes with each step.
  void make_averages();

 private:
  struct Entry {
    Tensor parameter;
    std::size_t group;
    std::vector<Tensor> averages;  // may be none before the first step
    std::int64_t steps = 0;
    bool fits() const;  // have the averages the parameter's shape and dtype?
  };

  virtual double rate(std::size_t group) const = 0;
  virtual void set_rate(std::size_t group, double rate) = 0;
  virtual std::vector<std::string> averages(std::size_t group) const = 0;
  virtual bool is_elementwise() const = 0;
  virtual void apply(std::size_t group, Update& update) const = 0;

  void make_averages(Entry& known) const;
  void check_group(std::size_t group) const;
  void check_unchanged() const;

  std::string name_;
  std::size_t group_count_;
  std::vector<Entry> entries_;
};

/// Parameters that share their options.
template <class Rule>
struct ParameterGroup {
  std::vector<Tensor> parameters;
  Rule options = {};
};

// clang-format off: it would fold the example
/// The optimiser of a rule. A rule is a struct of options, with what is done by them; this is all of a new
/// one:
///
///     struct SignRule {
///       double learning_rate = 1e-3;
///       static constexpr const char* name = "Sign";
///       // Optional: update() changes each element by its own numbers, and only elements [u.begin, u.end).
///       // Then threads share the work.
///       static constexpr bool elementwise = true;
///       // Throws for options that make no sense.
///       void check() const {}
///       // What is kept of earlier steps, by its names in state().
///       std::vector<std::string> averages() const { return {}; }
///       // Changes u.parameter and u.averages.
///       void update(Update& u) const;
///     };
///     using Sign = OptimiserOf<SignRule>;
///     Sign sign(model.parameters(), {.learning_rate = 1e-2});
///     Sign two({{.parameters = a, .options = {.learning_rate = 1e-2}}, {.parameters = b}});
// clang-format on
template <class Rule>
class OptimiserOf : public Optimiser {
 public:
  using Group = ParameterGroup<Rule>;

  explicit OptimiserOf(std::vector<Tensor> parameters, const Rule& options = {})
      : OptimiserOf(std::vector<Group>{{std::move(parameters), options}}) {}
  /// @throws Error for options out of range, and for a parameter that is undefined or given twice.
  explicit OptimiserOf(const std::vector<Group>& groups) : Optimiser(Rule::name, parameters_of(groups)) {
    for (const Group& group : groups) {
      group.options.check();
      rules_.push_back(group.options);
    }
    make_averages();
  }

 private:
  static std::vector<std::vector<Tensor>> parameters_of(const std::vector<Group>& groups) {
    std::vector<std::vector<Tensor>> parameters;
    for (const Group& group : groups) parameters.push_back(group.parameters);
    return parameters;
  }

  double rate(std::size_t group) const override { return rules_[group].learning_rate; }
  void set_rate(std::size_t group, double rate) override { rules_[group].learning_rate = rate; }
  std::vector<std::string> averages(std::size_t group) const override { return rules_[group].averages(); }
  bool is_elementwise() const override {
    if constexpr (requires { Rule::elementwise; }) return Rule::elementwise;
    return false;
  }
  void apply(std::size_t group, Update& update) const override { rules_[group].update(update); }

  std::vector<Rule> rules_;
};

}  // namespace gradus::nn
#pragma GCC visibility pop
