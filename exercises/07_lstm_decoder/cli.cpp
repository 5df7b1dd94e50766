// The gradus command with the learner's decoder in it: --decoder mine.

#include EXERCISE_FILE
#include <gradus/tools/cli.hpp>

int main(int argc, char** argv) {
  auto registry = gradus::models::Registry::standard();
  registry.decoders["mine"] = [](const gradus::models::DecoderOptions& options, const auto& attention) {
    return std::make_unique<LstmDecoder>(options.vocabulary, options.annotation, options.embedding,
                                         options.hidden, attention());
  };
  return gradus::tools::cli_main(argc, argv, registry);
}
