#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/tools/cli.hpp>

#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "files/saved_model.hpp"
#include "scratch.hpp"

// The first call of sync_with_stdio(false) replaces std::cout's buffer. When Catch2 starts, it stores a
// pointer to the buffer. So the first call must come before Catch2 starts. If it came later, in cli_main(),
// the pointer would dangle.
inline const bool were_synchronised = std::ios::sync_with_stdio(false);

/// The output and exit code of a command.
struct Ran {
  int code;
  std::string out, err;
};

/// Runs `gradus ARGUMENTS…` in this process. `program` is argv[0].
inline Ran run(std::vector<std::string> arguments, const std::string& input = "",
               const gradus::models::Registry& registry = gradus::models::Registry::standard(),
               std::string program = "gradus") {
  std::vector<char*> argv{program.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  std::istringstream in(input);
  std::ostringstream out, err;
  auto* const old_in = std::cin.rdbuf(in.rdbuf());
  auto* const old_out = std::cout.rdbuf(out.rdbuf());
  auto* const old_err = std::cerr.rdbuf(err.rdbuf());
  std::cin.clear();
  const int code = gradus::tools::cli_main(static_cast<int>(argv.size()), argv.data(), registry);
  std::cin.rdbuf(old_in);
  std::cout.rdbuf(old_out);
  std::cerr.rdbuf(old_err);
  return {code, out.str(), err.str()};
}

/// Settings of a tiny model on English and French phrases.
inline gradus::tools::Settings small_settings() {
  gradus::tools::Settings settings = gradus::tools::default_settings();
  settings.data.phrases = "eng-fra";
  settings.data.french_spacing = true;
  settings.model.embedding = 6;
  settings.model.hidden = 7;
  settings.model.energy = 5;
  return settings;
}

/// Writes a checkpoint of an untrained model with these settings. Returns its path.
inline std::filesystem::path write_small_model(
    const std::filesystem::path& folder, const gradus::tools::Settings& settings = small_settings(),
    std::uint64_t seed = 1, const gradus::models::Registry& registry = gradus::models::Registry::standard()) {
  namespace tools = gradus::tools;
  const auto corpus = tools::read_corpus(settings.data, 1);
  const auto sides = tools::make_sides(settings.data, corpus.train);
  gradus::seed(seed);
  const auto model = tools::make_model(settings, sides, registry);
  gradus::models::Checkpoint checkpoint{{}, tools::metadata_of(settings, sides)};
  for (const auto& [name, tensor] : model->state_dict()) {
    checkpoint.tensors.emplace_back("model." + name, tensor);
  }
  std::filesystem::create_directories(folder);
  const auto path = folder / "best.safetensors";
  gradus::models::save_checkpoint(path, checkpoint);
  return path;
}
