#pragma once

#include "tools/short_run.hpp"
#include "training/training_run.hpp"

/// Starts a run in the folder `out` with the settings of the run `whole`. Stops the new run after `steps`
/// steps, as Ctrl-C does.
inline void stop_after(int steps, const std::filesystem::path& whole, const std::filesystem::path& out) {
  gradus::tools::Settings settings = settings_of(whole);
  settings.run.out = out;
  gradus::tools::TrainingRun stopped(settings, nullptr, gradus::models::Registry::standard());
  int taken = 0;
  CHECK_FALSE(stopped.train([&] { return taken++ == steps; }));
}
