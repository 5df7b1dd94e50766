// The gradus command with the learner's attention: --attention mine

#include EXERCISE_FILE

#include "kit/cli.hpp"

int main(int argc, char** argv) {
  auto registry = gradus::models::Registry::standard();
  registry.attentions["mine"] = {[](const gradus::models::AttentionSizes& sizes) {
    return std::make_unique<AdditiveAttention>(sizes.query, sizes.value, sizes.energy);
  }};
  return exercise::cli(argc, argv, registry);
}
