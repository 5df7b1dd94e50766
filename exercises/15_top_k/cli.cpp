// The gradus command with the learner's attention: --attention top_2

#include EXERCISE_FILE

#include "kit/cli.hpp"

#include <string>

int main(int argc, char** argv) {
  gradus::models::Registry registry = gradus::models::Registry::standard();
  for (const std::int64_t k : {1, 2, 3, 5, 8}) {
    registry.attentions["top_" + std::to_string(k)] = {[k](const gradus::models::AttentionSizes& sizes) {
      return std::make_unique<TopKAttention>(sizes.query, sizes.value, sizes.energy, k);
    }};
  }
  return exercise::cli(argc, argv, registry);
}
