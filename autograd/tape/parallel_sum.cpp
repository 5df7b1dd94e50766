#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/parallel_sum.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/tape.hpp>

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "backward_pass.hpp"
#include "memory/storage.hpp"
#include "node.hpp"
#include "runtime/profile_state.hpp"

namespace gradus {
namespace {

Tensor sum_of(const std::vector<Tensor>& terms) {
  Tensor sum = terms.front();
  for (std::size_t i = 1; i < terms.size(); ++i) sum = sum + terms[i];
  return sum;
}

// An empty tensor that only passes `node` to record().
Tensor tensor_at(const NodePtr& node) {
  Tensor tensor = empty({0}, node->dtype);
  tensor.impl().node = node;
  return tensor;
}

// The tapes of the terms. A tape ends at leaves and at nodes that are older than all terms.
class Tapes {
 public:
  Tapes(std::vector<Tensor> terms, std::uint64_t oldest) : terms_(std::move(terms)), oldest_(oldest) {
    for (const Tensor& term : terms_) ends_of_.push_back(find_ends(term));
  }

  const std::vector<NodePtr>& ends() const { return ends_; }

  void run_backward(Gradients& g) const {
    std::vector<std::vector<Tensor>> parts(terms_.size());
    const bool retain_graph = !g.tape_is_freed();
    parallel_operations(std::ssize(terms_), [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      parts[at] = gradients(g, terms_[at], ends_of_[at], retain_graph);
    });
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      for (std::size_t j = 0; j < parts[i].size(); ++j) {
        const int input = ends_of_[i][j];
        if (parts[i][j].defined()) g.add(input, std::move(parts[i][j]));
      }
    }
  }

 private:
  // Finds the ends of a term's tape: leaves, and nodes older than oldest_. Appends new ends to ends_. Returns
  // the term's ends as indices into ends_.
  std::vector<int> find_ends(const Tensor& term) {
    std::vector<int> found;
    std::vector<const Node*> inner;
    std::unordered_set<const Node*> seen;
    const auto add = [&](const NodePtr& node) {
      if (!node || !seen.insert(node.get()).second) return;
      if (!node->leaf && node->number >= oldest_) return inner.push_back(node.get());
      const auto [known, is_new] = number_of_.try_emplace(node.get(), static_cast<int>(ends_.size()));
      if (is_new) ends_.push_back(node);
      found.push_back(known->second);
    };
    add(term.impl().node);
    for (std::size_t next = 0; next < inner.size(); ++next) {
      for (const NodePtr& input : inner[next]->inputs) add(input);
    }
    return found;
  }

  // For each end, the part of d(loss)/d(end) that comes through one term. Undefined for ends that are not
  // wanted or not reached.
  std::vector<Tensor> gradients(const Gradients& g, const Tensor& term, const std::vector<int>& ends,
                                bool retain_graph) const {
    std::unordered_set<const Node*> wanted;
    for (const int end : ends) {
      if (g.wants(end)) wanted.insert(ends_[static_cast<std::size_t>(end)].get());
    }
    std::vector<Tensor> found(ends.size());
    if (wanted.empty()) return found;
    const NodePtr& root = term.impl().node;
    BackwardPass pass({root}, &wanted, oldest_);
    pass.add(root, g.out().clone());
    pass.run(retain_graph);
    for (std::size_t j = 0; j < ends.size(); ++j) {
      const auto gradient = pass.gradients.find(ends_[static_cast<std::size_t>(ends[j])].get());
      if (gradient != pass.gradients.end()) found[j] = std::move(gradient->second.sum);
    }
    return found;
  }

  const std::vector<Tensor> terms_;
  const std::uint64_t oldest_;
  std::vector<NodePtr> ends_;
  std::unordered_map<const Node*, int> number_of_;
  std::vector<std::vector<int>> ends_of_;  // for each term, the indices of its ends
};

}  // namespace

Tensor parallel_sum(std::int64_t count, const std::function<Tensor(std::int64_t)>& f) {
  constexpr const char* operation = "parallel_sum";
  if (count < 1) fail(operation, "needs at least 1 term, and got ", count);
  const std::uint64_t oldest = next_node_number();
  std::vector<Tensor> terms(static_cast<std::size_t>(count));
  const bool is_alone = count == 1 || team::available() == 1 || profile != nullptr;
  const auto compute = [&](std::int64_t i) { terms[static_cast<std::size_t>(i)] = f(i); };
  if (is_alone) {
    for (std::int64_t i = 0; i < count; ++i) compute(i);
  } else {
    parallel_operations(count, compute);
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (!terms[i].defined()) fail(operation, "term ", i, " is undefined; it must be a scalar");
    if (terms[i].shape() == Shape{} && terms[i].dtype() == terms[0].dtype()) continue;
    fail(operation, "term ", i, " is ", terms[i].shape(), " ", name(terms[i].dtype()),
         "; all must be scalars of one dtype, and term 0 is ", terms[0].shape(), " ", name(terms[0].dtype()));
  }
  if (is_alone || !is_recording()) return sum_of(terms);

  Tensor sum;
  {
    const NoGrad no_grad;
    sum = sum_of(terms).clone();
  }
  auto tapes = std::make_shared<const Tapes>(std::move(terms), oldest);
  std::vector<Tensor> inputs;
  for (const NodePtr& end : tapes->ends()) inputs.push_back(tensor_at(end));
  return record(operation, std::move(sum), std::span<const Tensor>(inputs), {},
                [tapes](Gradients& g) { tapes->run_backward(g); });
}

}  // namespace gradus
