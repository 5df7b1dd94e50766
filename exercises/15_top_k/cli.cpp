#include EXERCISE_FILE
#include <gradus/tools/cli.hpp>

#include <string>

int main(int argc, char** argv) {
  gradus::models::Registry registry = gradus::models::Registry::standard();
  for (const std::int64_t k : {1, 2, 3, 5, 8}) {
    registry.attentions["top_" + std::to_string(k)] = [k](const gradus::models::AttentionSizes& sizes) {
      return std::make_unique<TopKAttention>(sizes.query, sizes.value, sizes.energy, k);
    };
  }
  return gradus::tools::cli_main(argc, argv, registry);
}
