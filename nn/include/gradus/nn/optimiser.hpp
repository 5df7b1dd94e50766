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

/// The update of one parameter at its step t. A rule changes the parameter and its averages in place.
struct Update {
  Tensor parameter;            ///< θ
  Tensor gradient;             ///< g
  std::span<Tensor> averages;  ///< the rule's running values, of θ's shape and dtype, initially zeros
  std::int64_t t;              ///< this parameter's own step count, from 1
  std::int64_t begin, end;     ///< elements to update; all unless the rule is elementwise
};

/// Updates parameters from their gradients. Each group of parameters has its own options. OptimiserOf
/// implements this class for a rule, such as SGD or Adam.
///
/// A step skips parameters that have no gradient or are frozen (requires_grad is off). The step count t of a
/// skipped parameter does not change.
class Optimiser {
 public:
  virtual ~Optimiser() = default;
  Optimiser(const Optimiser&) = delete;
  Optimiser& operator=(const Optimiser&) = delete;

  /// Performs one update from the current gradients.
  /// @throws Error if the rule has averages, such as Adam's m and v, and a parameter to update has changed
  /// its shape or dtype since its last update. Nothing changes in that case.
  void step();
  void zero_grad();

  std::size_t group_count() const { return group_count_; }
  /// The learning rate of a group. @throws Error if there is no such group.
  double learning_rate(std::size_t group = 0) const;
  /// Sets the learning rate of every group, or of one group. @throws Error for a rate that is negative or not
  /// finite, or if there is no such group.
  void set_learning_rate(double rate);
  void set_learning_rate(std::size_t group, double rate);

  /// A copy of everything that changes between steps. Groups are numbered from 0, and parameters from 0
  /// across all groups. Group 0 has the entry "group.0.learning_rate", an f64 scalar. Parameter 0 has the
  /// entry "0.steps", an i64 scalar. After the parameter's first step, there are also entries for the rule's
  /// averages, such as "0.m" and "0.v", of the parameter's shape and dtype.
  NamedTensors state() const;
  /// Restores a state; later steps are bit-identical to those of the saved optimiser.
  /// @throws Error as StateReader::finish() does. After an error, nothing has changed.
  void load_state(const NamedTensors& state);

 protected:
  /// `name` is the prefix of messages. @throws Error for a parameter that is undefined, i64 or given twice.
  Optimiser(std::string name, const std::vector<std::vector<Tensor>>& groups);
  /// Allocates the averages of all trainable parameters. A derived class must call make_averages() at the end
  /// of its constructor. All averages are allocated together, which keeps them apart from the memory that
  /// each step allocates and frees.
  void make_averages();

 private:
  struct Entry {
    Tensor parameter;
    std::size_t group;
    std::vector<Tensor> averages;  // may be empty before the first step
    std::int64_t steps = 0;
    bool fits() const;  // true if the averages have the parameter's shape and dtype
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

/// Parameters with the same options.
template <class Rule>
struct ParameterGroup {
  std::vector<Tensor> parameters;
  Rule options = {};
};

// clang-format off: it would reflow the example
/// The optimiser for a rule. A rule is a struct of options with an update function. A complete example:
///
///     struct SignRule {
///       double learning_rate = 1e-3;
///       static constexpr const char* name = "Sign";
///       // Optional, false by default. If true, several threads may update parts of one parameter. update()
///       // must then treat elements independently, and change only the elements [u.begin, u.end).
///       static constexpr bool elementwise = true;
///       // Throws for invalid options.
///       void check() const {}
///       // The names of the running values in state().
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
  /// @throws Error for options out of range, and for a parameter that is undefined, i64 or given twice.
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
