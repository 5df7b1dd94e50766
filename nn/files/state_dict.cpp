#include <gradus/autograd/recording.hpp>
#include <gradus/nn/module.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/bytes.hpp"
#include "module/names.hpp"

namespace gradus::nn {
namespace {

struct Copy {
  std::string name;
  Tensor from, into;
};

// Plans all copies and collects all errors before anything is copied.
class Loading {
 public:
  Loading(const NamedTensors& own, const NamedTensors& state) {
    std::map<std::string_view, Tensor> given;
    for (const auto& [name, values] : state) {
      if (!given.emplace(name, values).second) repeated_.push_back(in_quotes(name));
    }
    NamedTensors absent;
    for (const auto& [name, tensor] : own) {
      const auto found = given.find(name);
      if (found == given.end()) {
        absent.emplace_back(name, tensor);
      } else {
        plan(name, found->second, tensor);
        given.erase(found);
      }
    }
    for (const auto& [name, tensor] : absent) {
      if (planned(tensor) == nullptr) missing_.push_back(in_quotes(name));
    }
    for (const auto& [name, values] : given) unexpected_.push_back(in_quotes(name));
  }

  // The errors as text; empty if there are none.
  std::string objections() const {
    std::string all;
    const auto add = [&](const char* what, const std::vector<std::string>& items, const char* separator) {
      if (items.empty()) return;
      all.append(all.empty() ? "" : "; ").append(what).append(first_names(items, separator));
    };
    add("missing ", missing_, ", ");
    add("unexpected ", unexpected_, ", ");
    add("given twice ", repeated_, ", ");
    add("", misfits_, "; ");
    return all;
  }

  void run() const {
    for (const Copy& copy : copies_) {
      std::ranges::copy(bytes_of(copy.from), mutable_bytes_of(copy.into, "load_state_dict").begin());
    }
  }

 private:
  const Copy* planned(const Tensor& into) const {
    const auto found = std::ranges::find_if(copies_, [&](const Copy& copy) { return copy.into.is(into); });
    return found == copies_.end() ? nullptr : &*found;
  }

  void plan(const std::string& name, const Tensor& from, const Tensor& into) {
    const std::string what = in_quotes(name);
    if (!from.defined()) {
      misfits_.push_back(what + " is undefined");
    } else if (from.shape() != into.shape()) {
      misfits_.push_back(what + " is " + from.shape().text() + " and must be " + into.shape().text());
    } else if (is_floating(from.dtype()) != is_floating(into.dtype())) {
      misfits_.push_back(what + " is " + gradus::name(from.dtype()) + " and must be " +
                         gradus::name(into.dtype()));
    } else {
      Copy copy{name, from.to(into.dtype()), into};
      if (const Copy* other = planned(into);
          other != nullptr && !std::ranges::equal(bytes_of(other->from), bytes_of(copy.from)))
        misfits_.push_back(in_quotes(other->name) + " and " + what +
                           " are one tensor and must have the same values");
      copies_.push_back(std::move(copy));
    }
  }

  std::vector<Copy> copies_;
  std::vector<std::string> missing_, unexpected_, repeated_, misfits_;
};

}  // namespace

NamedTensors Module::state_dict() const {
  NamedTensors state = collect({&Module::parameters_, &Module::buffers_});
  for (auto& [name, tensor] : state) tensor = tensor.detach();
  return state;
}

void Module::load_state_dict(const NamedTensors& state, std::string_view source) {
  const Scope scope = enter();
  const NoGrad no_grad;
  const Loading loading(collect({&Module::parameters_, &Module::buffers_}), state);
  if (const std::string objections = loading.objections(); !objections.empty()) {
    fail("load_state_dict", source, " does not fit, so nothing was loaded: ", objections,
         "; give the state of a module made with the same sizes");
  }
  loading.run();
}

}  // namespace gradus::nn
