#include "metrics/lowered.hpp"

#include <gradus/data/utf8.hpp>

#include "metrics/code_points.hpp"
#include "text/lower_case.hpp"

namespace gradus::data {

std::string lowered(std::string_view text) {
  const std::vector<CodePoint> points = code_points(text);
  std::u32string values;
  for (const CodePoint& point : points) values += point.value;
  std::string lower;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::u32string small = lower_case_at(values, i);
    lower += small == values.substr(i, 1) ? std::string(points[i].bytes) : encode_utf8(small);
  }
  return lower;
}

}  // namespace gradus::data
