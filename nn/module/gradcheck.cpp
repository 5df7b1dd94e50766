#include <gradus/autograd/ops.hpp>
#include <gradus/nn/gradcheck.hpp>

namespace gradus::nn {
namespace {

// Puts a module into f64 and eval mode. The destructor restores the module.
class InDouble {
 public:
  explicit InDouble(Module& module) : module_(module) {
    for (Module* part : module.modules()) modes_.emplace_back(part, part->is_training());
    for (const Tensor& parameter : module.parameters()) put_back_.emplace_back(parameter, parameter.detach());
    // Copies the values of the buffers, because the checked function may change them in place.
    for (const auto& [name, buffer] : module.named_buffers()) put_back_.emplace_back(buffer, buffer.clone());
    module.to(Dtype::f64);
    module.eval();
  }
  ~InDouble() {
    for (auto& [tensor, values] : put_back_) tensor.replace(values);
    module_.zero_grad();
    for (const auto& [part, training] : modes_) part->train(training);  // parents first: train() recurses
  }
  InDouble(const InDouble&) = delete;
  InDouble& operator=(const InDouble&) = delete;

 private:
  Module& module_;
  std::vector<std::pair<Module*, bool>> modes_;
  std::vector<std::pair<Tensor, Tensor>> put_back_;  // tensors, each with its values from before the check
};

}  // namespace

GradcheckReport gradcheck(Module& module, const std::function<Tensor(const std::vector<Tensor>&)>& f,
                          const std::vector<Tensor>& inputs, const GradcheckOptions& options) {
  const InDouble in_double(module);
  NamedTensors trained = module.named_parameters();
  std::erase_if(trained, [](const auto& named) { return !named.second.requires_grad(); });
  return gradus::gradcheck(f, inputs, trained, options);
}

Tensor concat_flat(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> flat;
  for (const Tensor& tensor : tensors) flat.push_back(tensor.reshape({-1}));
  return concat(flat, 0);
}

}  // namespace gradus::nn
