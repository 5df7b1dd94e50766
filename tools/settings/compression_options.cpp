#include <CLI/CLI.hpp>

#include "settings/add_option.hpp"
#include "settings/options.hpp"
#include "settings/ranges.hpp"
#include "settings/search_options.hpp"

namespace gradus::tools {

void add_compression_options(CLI::App& app, Settings& settings) {
  PruneSettings& prune = settings.prune;
  TeacherSettings& teacher = settings.teacher;
  app.option_defaults()->always_capture_default()->group("Small models");
  add_switch(
      app, "--int8", settings.int8,
      "round the weight matrices to int8 after each step, and add the updates to exact copies of them");
  add_number(app, "--prune", prune.sparsity,
             "fraction of the weights in matrices that are 0 at the end, the smallest ones [0: none]")
      ->transform(fraction_below_1);
  app.add_option("--prune-from", prune.from, "the last step without pruned weights")->transform(from_0);
  app.add_option(
         "--prune-until", prune.until,
         "the first step with all pruned weights; the best checkpoint is chosen from here on [0: half "
         "of all steps]")
      ->transform(from_0);
  add_switch(app, "--per-matrix", prune.per_matrix, "prune the same fraction of each matrix");
  app.add_option("--teacher", teacher.model,
                 "a trained model that knows all tokens of this run, whose predictions are learned too")
      ->type_name("RUN");
  add_number(app, "--teacher-weight", teacher.weight,
             "weight of the distance to the teacher's predictions; the data have the rest")
      ->transform(fraction);
  add_number(app, "--teacher-temperature", teacher.temperature,
             "temperature of both models' predictions; above 1, unlikely tokens count more")
      ->transform(finite_above_0);
  add_number(app, "--teacher-attention", teacher.attention,
             "weight of the distance to the teacher's attention weights")
      ->transform(finite_from_0);
  app.add_option(
         "--teacher-beam", teacher.beam,
         "train on the teacher's translations, found by beam search of this width [0: on the targets]")
      ->type_name("K")
      ->transform(between(0, widest_beam));
}

}  // namespace gradus::tools
