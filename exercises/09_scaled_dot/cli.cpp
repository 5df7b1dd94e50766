#include EXERCISE_FILE
#include <gradus/tools/cli.hpp>

int main(int argc, char** argv) {
  gradus::models::Registry registry = gradus::models::Registry::standard();
  registry.attentions["mine"] = [](const gradus::models::AttentionSizes& sizes) {
    return std::make_unique<ScaledDotAttention>(sizes.query, sizes.value, sizes.energy);
  };
  return gradus::tools::cli_main(argc, argv, registry);
}
