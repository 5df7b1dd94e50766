#include "look_up.hpp"

#include <numeric>
#include <utility>
#include <vector>

namespace tutorial {

using gradus::tensor;

LookUpBatch look_up_batch(std::int64_t T, std::int64_t batch_size, gradus::Generator& generator) {
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(generator.below(static_cast<std::uint64_t>(n)));
  };
  std::vector<std::int64_t> key(static_cast<std::size_t>(T * batch_size)), value(key.size());
  std::vector<std::int64_t> asked, position, answer;
  for (std::int64_t b = 0; b < batch_size; ++b) {
    std::vector<std::int64_t> shuffled(look_up_keys);
    std::iota(shuffled.begin(), shuffled.end(), 0);
    for (std::int64_t t = 0; t < T; ++t) {
      const auto i = static_cast<std::size_t>(t), pair = static_cast<std::size_t>(t * batch_size + b);
      std::swap(shuffled[i], shuffled[i + generator.below(shuffled.size() - i)]);
      key[pair] = shuffled[i];
      value[pair] = below(look_up_values);
    }
    position.push_back(below(T));
    const auto pair = static_cast<std::size_t>(position.back() * batch_size + b);
    asked.push_back(key[pair]);
    answer.push_back(value[pair]);
  }
  return {.key = tensor(key, {T, batch_size}),
          .value = tensor(value, {T, batch_size}),
          .asked = tensor(asked),
          .position = tensor(position),
          .answer = tensor(answer)};
}

}  // namespace tutorial
