// The gradus command with the learner's attention in it: --attention mine.

#include EXERCISE_FILE
#include <gradus/tools/cli.hpp>

int main(int argc, char** argv) {
  auto registry = gradus::models::Registry::standard();
  registry.attentions["mine"] = [](const gradus::models::AttentionSizes& sizes) {
    return std::make_unique<AdditiveAttention>(sizes.query, sizes.value, sizes.energy);
  };
  return gradus::tools::cli_main(argc, argv, registry);
}
