#pragma once

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "settings/settings.hpp"
#include "tools/run.hpp"

using Arguments = std::vector<std::string>;

/// A short run that draws random numbers for the weights, dropout, scheduled sampling and the order of pairs.
inline Arguments arguments(const std::filesystem::path& out, Arguments more = {}) {
  Arguments all{
      "train", "--task",      "reverse", "--examples",   "40",   "--held-out", "5",         "--hidden",
      "6",     "--embedding", "5",       "--energy",     "4",    "--dropout",  "0.2",       "--sampling",
      "0.5",   "--steps",     "23",      "--eval-every", "7",    "--batch",    "8",         "--save-every",
      "5",     "--threads",   "1",       "--entropy",    "0.01", "--out",      out.string()};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Removes an option and its value.
inline Arguments without(Arguments all, const std::string& option) {
  const auto at = std::ranges::find(all, option);
  all.erase(at, at + 2);
  return all;
}

inline Arguments replaced(Arguments all, const std::string& option, const std::string& value) {
  *std::next(std::ranges::find(all, option)) = value;
  return all;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline gradus::tools::Settings settings_of(const std::filesystem::path& run) {
  return gradus::tools::settings_from_text(content(run / "settings.toml"));
}
