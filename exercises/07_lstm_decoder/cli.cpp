// The gradus command with the learner's decoder: --decoder mine

#include EXERCISE_FILE

#include "kit/cli.hpp"

int main(int argc, char** argv) {
  auto registry = gradus::models::Registry::standard();
  registry.decoders["mine"] = {[](const gradus::models::DecoderOptions& options, const auto& attention) {
    return std::make_unique<LstmDecoder>(options.vocabulary, options.annotation, options.embedding,
                                         options.hidden, attention());
  }};
  return exercise::cli(argc, argv, registry);
}
