#include "inside_json.hpp"

#include <gradus/error.hpp>

#include <algorithm>
#include <cmath>

namespace gradus::web {
namespace {

using nlohmann::json;

json numbers(const Tensor& x) {
  const std::vector<float> values = x.to_vector<float>();
  if (x.rank() < 2) return values;
  json rows = json::array();
  const auto columns = static_cast<std::ptrdiff_t>(x.size(1));
  for (auto row = values.begin(); row != values.end(); row += columns)
    rows.push_back(std::vector<float>(row, row + columns));
  return rows;
}

json part(const Part& from) {
  if (!from.value.defined()) return nullptr;
  return {{"value", numbers(from.value)}, {"gradient", numbers(from.gradient)}};
}

// The root mean square of each block of a matrix. A vector counts as a matrix with one row.
json cells(const std::vector<float>& values, std::size_t height, std::size_t width) {
  const std::size_t rows = std::min<std::size_t>(height, 16), columns = std::min<std::size_t>(width, 32);
  json result = json::array();
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<float> line;
    for (std::size_t column = 0; column < columns; ++column) {
      double squares = 0, count = 0;
      for (std::size_t i = row * height / rows; i < (row + 1) * height / rows; ++i) {
        for (std::size_t j = column * width / columns; j < (column + 1) * width / columns; ++j, ++count)
          squares += std::pow(values[i * width + j], 2);
      }
      line.push_back(static_cast<float>(std::sqrt(squares / count)));
    }
    result.push_back(line);
  }
  return result;
}

json parameter(const std::string& name, const Tensor& gradient) {
  const std::vector<float> values = gradient.to_vector<float>();
  const bool matrix = gradient.rank() == 2;
  double squares = 0;
  for (const float value : values) squares += double{value} * value;
  json shape = json::array();
  for (int axis = 0; axis < gradient.rank(); ++axis) shape.push_back(gradient.size(axis));
  const std::size_t height = matrix ? static_cast<std::size_t>(gradient.size(0)) : 1;
  return {{"name", name},
          {"shape", shape},
          {"norm", std::sqrt(squares)},
          {"cells", cells(values, height, values.size() / height)}};
}

}  // namespace

json to_json(const Inside& inside) {
  json gates = json::array(), parameters = json::array();
  for (const auto& [name, gate] : inside.gates) {
    gates.push_back(part(gate));
    gates.back()["name"] = name;
  }
  for (const auto& [name, gradient] : inside.parameters) parameters.push_back(parameter(name, gradient));
  return {{"before", part(inside.before)},
          {"annotations", part(inside.annotations)},
          {"energies", part(inside.energies)},
          {"weights", part(inside.weights)},
          {"context", part(inside.context)},
          {"gates", gates},
          {"after", part(inside.after)},
          {"logits", part(inside.logits)},
          {"probabilities", numbers(inside.probabilities)},
          {"loss", inside.loss},
          {"difference", inside.difference},
          {"gradient_difference", inside.gradient_difference},
          {"parameters", parameters}};
}

Replaced replaced_from(const json& from) {
  Replaced replaced;
  try {
    if (from.contains("state")) replaced.state = from.at("state").get<std::vector<float>>();
    if (from.contains("annotations")) {
      for (const auto& [j, row] : from.at("annotations").items())
        replaced.annotations[std::stoll(j)] = row.get<std::vector<float>>();
    }
  } catch (const std::exception&) {
    throw Error("inside: 'replaced' cannot be " + from.dump());
  }
  return replaced;
}

}  // namespace gradus::web
