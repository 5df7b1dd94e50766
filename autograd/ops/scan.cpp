#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/packing.hpp>
#include <gradus/autograd/scope.hpp>

#include <utility>

namespace gradus {

Scanned scan(
    const std::function<std::vector<Tensor>(const Tensor& x, const std::vector<Tensor>& state)>& step,
    const Tensor& x, std::vector<Tensor> state, const Packing& packing, bool reverse) {
  for (const Tensor& part : state) {
    if (part.rank() == 2 && part.size(0) == packing.batch()) continue;
    fail("scan", "a tensor of the first state is ", part.shape(), " and must be (", packing.batch(), ", H)");
  }
  if (packing.steps() == 0) return {state.front().slice(0, 0), std::move(state)};
  const Tensor steps = unpack(x, packing), lengths = packing.lengths();
  std::vector<Tensor> states(static_cast<std::size_t>(packing.steps()));
  for (std::int64_t i = 0; i < packing.steps(); ++i) {
    const std::int64_t t = reverse ? packing.steps() - 1 - i : i;
    std::vector<Tensor> after = step(steps[t], state);
    if (packing.batch_size(t) < packing.batch()) {
      const Tensor runs = greater(lengths, full({1}, static_cast<double>(t), Dtype::i64)).reshape({-1, 1});
      for (std::size_t part = 0; part < state.size(); ++part) {
        after[part] = where(runs, after[part], state[part]);
      }
    }
    state = std::move(after);
    states[static_cast<std::size_t>(t)] = state[0];
  }
  return {pack(stack(states), packing), std::move(state)};
}

}  // namespace gradus
