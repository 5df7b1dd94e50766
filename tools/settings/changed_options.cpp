#include "settings/changed_options.hpp"

#include <gradus/error.hpp>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <sstream>

#include "settings/option_error.hpp"
#include "settings/options.hpp"
#include "settings/toml.hpp"

namespace gradus::tools {
namespace {

std::vector<std::string> model_lines(models::ModelOptions model) {
  CLI::App app;
  add_model_options(app, model);
  std::vector<std::string> lines;
  std::istringstream text(app.config_to_str(true));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::vector<ChangedOption> changed_options(const models::ModelOptions& before,
                                           const models::ModelOptions& now) {
  const std::vector<std::string> was = model_lines(before), is = model_lines(now);
  std::vector<ChangedOption> changed;
  for (std::size_t i = 0; i < was.size(); ++i) {
    if (was[i] != is[i]) changed.push_back({was[i], is[i]});
  }
  return changed;
}

models::ModelOptions with_option(models::ModelOptions model, const std::string& line) {
  CLI::App app;
  add_model_options(app, model);
  app.config_formatter(std::make_shared<Toml>());
  std::istringstream text(line);
  try {
    app.parse_from_stream(text);
  } catch (const CLI::Error& error) {
    throw Error("settings: " + clear_message(error));
  }
  return model;
}

}  // namespace gradus::tools
