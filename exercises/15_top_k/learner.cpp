#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) {
  const auto make = [](std::int64_t query_size, std::int64_t value_size, std::int64_t energy_size,
                       std::int64_t k) {
    return std::make_unique<TopKAttention>(query_size, value_size, energy_size, k);
  };
  return exercise::main(argc, argv, top_k_exercise({top_k_softmax, make}));
}
