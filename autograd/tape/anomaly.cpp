#include "anomaly.hpp"

#include <cmath>
#include <optional>
#include <sstream>
#include <string>

#include "kernels/dispatch.hpp"
#include "memory/storage.hpp"
#include "node.hpp"
#include "runtime/index_text.hpp"

namespace gradus {
namespace {

// The first element that is not finite, as text: "nan at [1, 2]".
std::optional<std::string> anomaly(const Tensor& x) {
  if (!x.defined() || !is_floating(x.dtype())) return {};
  return for_floating("DetectAnomaly", x.dtype(), [&]<class T>() -> std::optional<std::string> {
    const T* values = raw<T>(x);
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      if (std::isfinite(values[i])) continue;
      return message(values[i], " at ", index_text(x.shape().index_of(i)));
    }
    return {};
  });
}

std::string parent(const Tensor& input) {
  if (!input.defined()) return "none";
  const NodePtr& node = input.impl().node;
  const std::string origin = node ? node->text() : "a constant " + input.shape().text();
  return origin + " (" + anomaly(input).value_or("finite") + ")";
}

}  // namespace

void check_result(const char* operation, const Tensor& result, std::span<const TensorRef> inputs) {
  const auto found = anomaly(result);
  if (!found) return;
  std::ostringstream parents;
  for (std::size_t i = 0; i < inputs.size(); ++i) parents << (i > 0 ? ", " : "") << parent(inputs[i]);
  fail(operation, "its result ", result.shape(), " has ", *found, "; its inputs are ", parents.str());
}

void check_gradient(const Node& node, std::size_t i, const Tensor& gradient) {
  const auto found = anomaly(gradient);
  if (!found) return;
  std::ostringstream saved;
  for (const SavedValue& value : node.saved) {
    if (const auto in_value = anomaly(value.values))
      saved << "; a value " << value.values.shape() << " that it reads has " << *in_value;
  }
  fail(node.operation, "its backward made ", *found, " in the gradient of input ", i, ", ",
       node.inputs[i]->text(), ", from a ",
       anomaly(node.pending.sum) ? "gradient that has one too" : "finite gradient", " of its result ",
       node.shape, saved.str());
}

}  // namespace gradus
