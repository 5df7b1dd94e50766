// The gradus command with the learner's attention: --attention mine

#include EXERCISE_FILE

#include "kit/cli.hpp"

int main(int argc, char** argv) {
  gradus::models::Registry registry = gradus::models::Registry::standard();
  registry.attentions["mine"] = {[](const gradus::models::AttentionSizes& sizes) {
    return std::make_unique<ScaledDotAttention>(sizes.query, sizes.value, sizes.energy);
  }};
  return exercise::cli(argc, argv, registry);
}
