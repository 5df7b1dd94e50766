#include "settings/settings.hpp"

#include <gradus/error.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>
#include <sstream>

#include "settings/option_error.hpp"
#include "settings/options.hpp"
#include "settings/printable.hpp"
#include "settings/toml.hpp"
#include "settings/unknown_key.hpp"

namespace gradus::tools {

Settings default_settings() {
  Settings settings;
  settings.model.embedding = 128;
  settings.model.hidden = 128;
  settings.model.energy = 128;
  settings.trainer.steps = 5000;
  settings.trainer.eval_every = 500;
  return settings;
}

Settings preset_settings(const std::string& name) {
  Settings settings = default_settings();
  const std::vector<std::string> names = models::preset_names();
  if (std::ranges::find(names, name) == names.end()) return settings;
  settings.model = models::preset(name);
  settings.trainer.learning_rate = settings.run.learning_rate;
  settings.trainer = models::preset_training(name, settings.trainer);
  settings.run.learning_rate = settings.trainer.learning_rate;
  return settings;
}

namespace {

std::string written(Settings settings, const std::set<std::string>& groups_left_out = {}) {
  CLI::App app;
  add_options(app, settings);
  for (CLI::Option* const option : app.get_options()) {
    if (groups_left_out.contains(option->get_group()) && option->get_single_name() != "seed") {
      option->configurable(false);
    }
  }
  return app.config_to_str(true);
}

}  // namespace

// Checks that reading the text gives the same settings. CLI11 before version 2.4 writes a backslash in a path
// without escaping it, so reading may change the path. No version escapes a line break, or both kinds of
// quotes in a path with a space.
std::string to_text(const Settings& settings) {
  std::string text = written(settings);
  const auto reads_back = [&] {
    try {
      return written(settings_from_text(text)) == text;
    } catch (const Error&) {
      return false;
    }
  };
  if (!reads_back()) {
    throw Error(
        "settings: a path with a backslash, a line break or both kinds of quotes cannot be saved; rename the "
        "file or folder");
  }
  return text;
}

std::string text_without_training(const Settings& settings) {
  return written(settings, {"Training", "Run", "Small models"});
}

Settings settings_from_text(const std::string& text) {
  Settings settings = default_settings();
  CLI::App app;
  add_options(app, settings);
  app.config_formatter(std::make_shared<Toml>());
  app.allow_config_extras(CLI::config_extras_mode::error);
  std::istringstream in(text);
  try {
    app.parse_from_stream(in);
  } catch (const CLI::FileError& error) {
    throw Error(std::string("settings: the text ") + error.what());
  } catch (const CLI::Error& error) {
    const std::string key = unknown_key(error);
    std::string problem = key.empty() ? clear_message(error) : "unknown option '" + excerpt(key) + "'";
    if (problem.starts_with("--")) problem.erase(0, 2);  // a key has no dashes
    throw Error("settings: " + problem);
  }
  return settings;
}

}  // namespace gradus::tools
