#include "op_sample.hpp"

#include <cstddef>
#include <sstream>
#include <stdexcept>

using gradus::Dtype;
using gradus::Generator;
using gradus::Shape;
using gradus::Tensor;

double Values::operator()(const Integers& index) const {
  const auto leading = static_cast<std::ptrdiff_t>(index.size()) - shape.rank();
  std::int64_t at = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    at = at * shape[axis] + (shape[axis] == 1 ? 0 : index[static_cast<std::size_t>(leading + axis)]);
  }
  return numbers[static_cast<std::size_t>(at)];
}

double anything(Generator& generator) { return generator.normal(); }
double positive(Generator& generator) { return 0.5 + 1.5 * generator.uniform(); }
double nonzero(Generator& generator) {
  const double size = positive(generator);
  return generator.below(2) == 0 ? size : -size;
}

namespace {

// "(2,3)…" → {2, 3}
Integers numbers(std::string token) {
  for (char& c : token) {
    if (c == '(' || c == ',' || c == '[' || c == '{') c = ' ';
  }
  std::istringstream in(token);
  Integers result;
  for (std::int64_t n = 0; in >> n;) result.push_back(n);
  return result;
}

Shape shape_of(const Integers& sizes) { return Shape(std::span<const std::int64_t>(sizes)); }

// Unsorted ids below `limit`. Some repeat, some are missing.
Integers ids_below(std::int64_t limit, std::int64_t count) {
  Integers ids;
  for (std::int64_t i = 0; i < count; ++i) ids.push_back((7 * i * i + 3) % limit);
  return ids;
}

Sample::Input input(const std::string& token) {
  if (token[0] == '{') {
    const Integers values = numbers(token);
    return {{static_cast<std::int64_t>(values.size())}, "i64", values};
  }
  Sample::Input result{shape_of(numbers(token)), {}, {}};
  const std::string suffix = token.substr(token.find(')') + 1);
  if (suffix.starts_with(':')) result.dtype = suffix.substr(1);
  if (suffix.starts_with('<')) {
    result.dtype = "i64";
    result.integers = ids_below(std::stoll(suffix.substr(1)), result.shape.numel());
  }
  return result;
}

}  // namespace

Sample::Sample(const std::string& text) {
  std::istringstream in(text);
  for (std::string token; in >> token;) {
    if (token == "->") {
      in >> token;
      result = shape_of(numbers(token));
    } else if (token[0] == '[') {
      arguments = numbers(token);
    } else if (token[0] == '(' || token[0] == '{') {
      inputs.push_back(input(token));
    } else {
      throw std::invalid_argument("what is '" + token + "' in the sample '" + text + "'?");
    }
  }
}

Tensors Sample::tensors(Domain domain, Dtype dtype) const {
  Generator generator(1);
  Tensors x;
  for (const Input& input : inputs) {
    if (!input.integers.empty()) {
      x.push_back(tensor(input.integers, input.shape));
      continue;
    }
    std::vector<float> values(static_cast<std::size_t>(input.shape.numel()));
    for (float& value : values) value = static_cast<float>(domain(generator));
    const Dtype own = input.dtype == "f32"   ? Dtype::f32
                      : input.dtype == "f64" ? Dtype::f64
                      : input.dtype == "i64" ? Dtype::i64
                                             : dtype;
    x.push_back(tensor(values, input.shape).to(own));
  }
  return x;
}
