#pragma once

#include <gradus/autograd/gradcheck.hpp>
#include <gradus/nn/module.hpp>

#include <concepts>
#include <functional>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Checks the gradients of `f` in double precision, with respect to every floating-point input and every
/// parameter of `module` that is not frozen. For the check, the module is in eval mode and in f64.
/// Afterwards, its mode, dtype and values are restored, and its gradients cleared.
///
///     gradcheck(decoder, [&](auto x) { return decoder.forward(x[0], x[1]); }, {words, state})
GradcheckReport gradcheck(Module& module, const std::function<Tensor(const std::vector<Tensor>&)>& f,
                          const std::vector<Tensor>& inputs, const GradcheckOptions& options = {});

/// Flattens and concatenates the tensors.
Tensor concat_flat(const std::vector<Tensor>& tensors);

/// Checks a module's `forward`, which must take these inputs, and return a tensor or a struct with
/// `tensors()`:
///
///     std::cout << gradcheck(gru, x, lengths);
template <class M, class... Inputs>
  requires(std::same_as<Inputs, Tensor> && ...)
GradcheckReport gradcheck(M& module, const Inputs&... inputs) {
  const auto f = [&module]<std::size_t... i>(const std::vector<Tensor>& x, std::index_sequence<i...>) {
    const auto result = module.forward(x[i]...);
    if constexpr (requires { result.tensors(); }) {
      return result.tensors();
    } else {
      return std::vector<Tensor>{result};
    }
  };
  const auto flattened = [&](const std::vector<Tensor>& x) {
    return concat_flat(f(x, std::index_sequence_for<Inputs...>{}));
  };
  return gradcheck(module, flattened, {inputs...});
}

}  // namespace gradus::nn
#pragma GCC visibility pop
