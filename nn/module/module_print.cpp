#include <gradus/nn/module.hpp>

#include <ostream>

namespace gradus::nn {

class ModulePrinter {
 public:
  ModulePrinter(std::ostream& out, const Module& root) : out_(out) {
    for (const auto& [path, parameter] : root.named_parameters()) {
      if (!first_path(parameter)) first_.emplace_back(path, parameter);
    }
  }

  void print(const Module& module, const std::string& name, const std::string& path, int depth) {
    line(depth) << name << ": " << module.parameter_count() << frozen_share(module) << '\n';
    for (const auto& [own_name, parameter] : module.parameters_) {
      line(depth + 1) << own_name << ' ' << parameter.shape() << ": ";
      const std::string& first = *first_path(parameter);
      if (first != path + own_name) {
        out_ << "shared with " << first << '\n';
      } else {
        out_ << parameter.numel() << (parameter.requires_grad() ? "\n" : ", frozen\n");
      }
    }
    for (const auto& [own_name, buffer] : module.buffers_) {
      line(depth + 1) << own_name << ' ' << buffer.shape() << ": a buffer of " << buffer.numel() << '\n';
    }
    for (const Module* child : module.children_)
      print(*child, child->name(), path + child->name() + ".", depth + 1);
  }

 private:
  std::ostream& line(int depth) { return out_ << std::string(static_cast<std::size_t>(2 * depth), ' '); }

  const std::string* first_path(const Tensor& parameter) const {
    for (const auto& [path, first] : first_) {
      if (first.is(parameter)) return &path;
    }
    return nullptr;
  }

  static std::string frozen_share(const Module& module) {
    std::int64_t frozen = 0;
    for (const Tensor& parameter : module.parameters()) {
      if (!parameter.requires_grad()) frozen += parameter.numel();
    }
    if (frozen == 0) return "";
    if (frozen == module.parameter_count()) return ", frozen";
    return std::string(", ").append(std::to_string(frozen)).append(" frozen");
  }

  std::ostream& out_;
  NamedTensors first_;  // each parameter, with the first of its names
};

std::ostream& operator<<(std::ostream& out, const Module& module) {
  ModulePrinter(out, module).print(module, module.name().empty() ? "parameters" : module.name(), "", 0);
  return out;
}

}  // namespace gradus::nn
