// Tutorial 14: small devices: fewer bits, fewer weights, fewer units, and a teacher.
//
// A trained model of tutorial 10 has to fit a small device. Each method makes the model smaller in a different way: int8
// (Jacob et al. 2018, https://arxiv.org/abs/1712.05877), pruning (Han et al. 2015, https://arxiv.org/abs/1506.02626;
// Zhu and Gupta 2017, https://arxiv.org/abs/1710.01878), structured pruning (Wen et al. 2018,
// https://arxiv.org/abs/1709.05027) and distillation (Hinton et al. 2015, https://arxiv.org/abs/1503.02531). All
// methods are measured on the same sources. For each method, one experiment shows where the method fails.

#include <gradus/autograd/gradcheck.hpp>
#include <gradus/compress/distillation.hpp>
#include <gradus/compress/int8.hpp>
#include <gradus/compress/pruning.hpp>
#include <gradus/compress/straight_through.hpp>
#include <gradus/compress/units.hpp>
#include <gradus/plot/curves.hpp>

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>

#include "support/measures/results.hpp"
#include "support/measures/small_models.hpp"
#include "support/page/report.hpp"

using namespace gradus;

namespace {

using Model = std::shared_ptr<models::Seq2Seq>;

struct Sizes {
  std::int64_t large = 64, small = 16;                 // H, and E = H / 2
};

// The task, the options and the models of all steps.
struct Course {
  data::Reversal task;                                 // 10 symbols, lengths 3 to 12
  tutorial::Options options;
  std::int64_t fine_tuning() const { return std::max<std::int64_t>(options.steps / 4, 1); }

  models::ModelSizes sizes(std::int64_t H) const {
    return {.vocabulary = task.vocabulary_size(), .embedding = (H + 1) / 2, .hidden = H, .energy = H};
  }
  Model make(std::int64_t H) const {
    gradus::seed(options.seed);
    return models::make_bahdanau(sizes(H));
  }
  // A model with these weights and sizes.
  static Model with(const NamedTensors& state, const models::ModelSizes& sizes) {
    Model copy = models::make_bahdanau(sizes);
    copy->load_state_dict(state);
    copy->eval();
    return copy;
  }
  Model copy(const models::Seq2Seq& model, std::int64_t H) const { return with(model.state_dict(), sizes(H)); }

  void train(const std::string& label, models::Seq2Seq& model, models::TrainerOptions trainer) const {
    tutorial::train(label, model, tutorial::training_batches(task, options.seed), trainer);
    model.eval();
  }
};

// 1. gradcheck rejects the straight-through estimator, and rightly so: the function is a staircase, but its gradient is
// that of the identity.
GradcheckReport check_estimator(std::uint64_t seed) {
  Generator generator(seed);
  return gradcheck([](const std::vector<Tensor>& x) { return compress::fake_quantise(x[0]); },
                   {normal({3, 8}, 0, 1, generator)});
}

// 2. Adds outliers without changing the function: multiplies column 0 of the encoder's embedding by c, and column 0 of the
// matrices that are applied to the embedding by 1/c. f32 results do not change. In int8, the step of an embedding row becomes
// up to c times as coarse.
Model with_outliers(const Course& course, const models::Seq2Seq& model, std::int64_t H, double c) {
  Model changed = course.copy(model, H);
  for (auto& [name, tensor] : changed->state_dict()) {
    const bool is_table = name == "encoder.embedding.weight";
    if (!is_table && !name.starts_with("encoder.rnn.weight_ih_l0")) continue;
    const auto values = Tensor(tensor).mutable_values<float>();
    for (std::int64_t i = 0; i < tensor.numel(); i += tensor.size(1))  // column 0
      values[static_cast<std::size_t>(i)] *= static_cast<float>(is_table ? c : 1 / c);
  }
  return changed;
}

tutorial::Table outliers(const Course& course, const models::Seq2Seq& large, std::int64_t H) {
  tutorial::Table table{.name = "outliers", .rows_are = "outlier", .columns = {"f32", "int8", "int8, then trained"}};
  for (const double c : {1.0, 16.0, 64.0, 256.0, 1024.0}) {                // powers of 2 are exact in f32
    const Model f32 = with_outliers(course, large, H, c), int8 = course.copy(*f32, H), trained = course.copy(*f32, H);
    compress::round_to_int8(*int8);
    compress::RoundedTraining rounded(*trained);
    course.train("outlier " + tutorial::decimals(c, 0), *trained,
                 {.steps = course.fine_tuning(), .learning_rate = 1e-3,
                  .after_update = [&](std::int64_t) { rounded.after_update(); }});
    table.rows.push_back({tutorial::decimals(c, 0),
                          {tutorial::exact(*f32, course.task), tutorial::exact_in_int8(*int8, course.task),
                           tutorial::exact_in_int8(*trained, course.task)}});
  }
  return table;
}

// 3. Pruning: in one step without training, or gradually during further training. Gradual pruning reaches `sparsity`
// halfway through the updates.
Model pruned(const Course& course, const models::Seq2Seq& model, std::int64_t H, double sparsity,
             compress::PruningScope scope, bool trains) {
  Model result = course.copy(model, H);
  compress::Pruning pruning(*result, scope);
  if (!trains) {
    pruning.prune(sparsity);
    return result;
  }
  const std::int64_t steps = course.fine_tuning();
  const compress::GradualPruning schedule{.sparsity = sparsity, .from = 0, .until = std::max<std::int64_t>(steps / 2, 1)};
  course.train("pruning to " + tutorial::decimals(sparsity, 2), *result,
               {.steps = steps, .learning_rate = 1e-3, .after_update = [&](std::int64_t step) {
                  pruning.prune(schedule.at(step));
                }});
  return result;
}

struct Sparsities {
  tutorial::Table table{.name = "sparsity", .rows_are = "zeros", .columns = {"global", "per matrix", "global, then trained"}};
  std::vector<plot::Series> curves{{.name = "global"}, {.name = "per matrix"}, {.name = "global, then trained"}};
};

Sparsities sparsities(const Course& course, const models::Seq2Seq& large, std::int64_t H) {
  using compress::PruningScope;
  Sparsities all;
  for (const double sparsity : {0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95}) {
    const std::vector<double> values = {
        tutorial::exact(*pruned(course, large, H, sparsity, PruningScope::global, false), course.task),
        tutorial::exact(*pruned(course, large, H, sparsity, PruningScope::per_matrix, false), course.task),
        tutorial::exact(*pruned(course, large, H, sparsity, PruningScope::global, true), course.task)};
    all.table.rows.push_back({tutorial::decimals(sparsity, 2), values});
    for (std::size_t i = 0; i < values.size(); ++i) {
      all.curves[i].x.push_back(sparsity);
      all.curves[i].y.push_back(values[i]);
    }
  }
  return all;
}

// 4. Removes whole units. `model` has `of` hidden units, the result has H.
Model narrower(const Course& course, const models::Seq2Seq& model, std::int64_t of, std::int64_t H, bool trains) {
  models::ModelSizes sizes = course.sizes(of);
  sizes.hidden = H;
  Model result = course.with(compress::keep_units(model, H), sizes);
  if (trains) course.train(std::to_string(H) + " units", *result, {.steps = course.fine_tuning(), .learning_rate = 1e-3});
  return result;
}

// 5. A student, with or without a teacher.
Model student(const Course& course, const std::string& label, std::int64_t H, const models::Objective& objective) {
  Model model = course.make(H);
  course.train(label, *model, {.steps = course.options.steps, .loss = {.objective = objective}});
  return model;
}

// Batches drawn from only `count` training pairs.
std::function<data::Batch()> few_batches(const Course& course, std::int64_t count) {
  Generator generator(course.options.seed + 1);
  const auto draw = [&](std::uint64_t n) { return generator.below(n); };
  std::vector<data::Pair> pairs;
  while (std::ssize(pairs) < count) pairs.push_back(course.task.sample_training(draw));
  return [pairs, generator]() mutable {
    std::vector<data::Pair> batch;
    while (batch.size() < 64) batch.push_back(pairs[generator.below(pairs.size())]);
    return data::make_batch(batch);
  };
}

tutorial::Table few_pairs(const Course& course, const Model& large, std::int64_t H) {
  using compress::distillation;
  tutorial::Table table{.name = "few_pairs", .rows_are = "training pairs",
                        .columns = {"no teacher", "teacher's probabilities", "teacher's attention"}};
  for (const std::int64_t count : {100, 400}) {
    table.rows.push_back({std::to_string(count), {}});
    for (const models::Objective& objective :
         {models::Objective{}, distillation(large, {.weight = 0.5}), distillation(large, {.weight = 0, .attention = 1})}) {
      const Model model = course.make(H);
      tutorial::train(std::to_string(count) + " pairs", *model, few_batches(course, count),
                      {.steps = course.options.steps, .loss = {.objective = objective}});
      table.rows.back().values.push_back(tutorial::exact(*model, course.task));
    }
  }
  return table;
}

std::vector<tutorial::Small> all_methods(const Course& course, const Model& large, const Sizes& sizes) {
  using compress::distillation;
  using compress::PruningScope;
  using tutorial::Format;
  const std::int64_t H = sizes.large;
  std::vector<tutorial::Small> rows;
  const auto add = [&](const std::string& name, Format format, const Model& model) {
    rows.push_back(tutorial::measure_small(name, format, *model, course.task));
    return model;
  };
  add("f32", Format::dense, large);
  add("int8", Format::int8, large);
  add("80 % zeros", Format::sparse, pruned(course, *large, H, 0.8, PruningScope::global, false));
  add("80 % zeros, then trained", Format::sparse, pruned(course, *large, H, 0.8, PruningScope::global, true));
  add("half of the units", Format::dense, narrower(course, *large, H, H / 2, false));
  add("half of the units, then trained", Format::dense, narrower(course, *large, H, H / 2, true));
  add("student", Format::dense, student(course, "student", sizes.small, {}));
  const Model taught = add("student, teacher's probabilities", Format::dense,
                           student(course, "with probabilities", sizes.small, distillation(large, {.weight = 0.5})));
  const Model untrained = course.make(H);
  untrained->eval();
  add("student, untrained teacher", Format::dense,
      student(course, "untrained teacher", sizes.small, distillation(untrained, {.weight = 0.5})));
  add("student, teacher's probabilities, int8", Format::int8, taught);
  return rows;
}

void run(const tutorial::Options& options, const Sizes& sizes) {
  const plot::OutputFolder out(options.out);  // throws now, not after the training, if the folder is not writable
  const Course course{.task = data::Reversal(), .options = options};
  std::cout << "gradient check of the straight-through estimator\n" << check_estimator(options.seed) << '\n';

  const Model large = course.make(sizes.large);
  course.train("f32", *large, {.steps = options.steps});
  const auto rows = all_methods(course, large, sizes);
  const tutorial::Table methods = tutorial::methods_table(rows), times = tutorial::times_table(rows);
  std::cout << "all methods, sources of length 12\n" << text(methods) << '\n' << text(times) << '\n';
  const tutorial::Table few = few_pairs(course, large, sizes.small);
  std::cout << "exact match of students that are trained on few pairs\n" << text(few) << '\n';
  const Sparsities sparse = sparsities(course, *large, sizes.large);
  std::cout << "exact match against the fraction of zeros\n" << text(sparse.table) << '\n';
  const tutorial::Table coarse = outliers(course, *large, sizes.large);
  std::cout << "exact match with one outlier per row of the embedding\n" << text(coarse) << '\n';

  publish({.number = "14",
           .title = "small devices",
           .intro = "One trained model, made smaller in several ways.",
           .sections = {{"All methods", {}, text(methods) + '\n' + text(times)},
                        {"Students with few pairs", {}, text(few)},
                        {"Pruning",
                         {{"sparsity", plot::svg({.title = "Quality against sparsity",
                                                  .x_label = "fraction of zeros",
                                                  .y_label = "exact match, length 12",
                                                  .series = sparse.curves})}},
                         text(sparse.table)},
                        {"Outliers", {}, text(coarse)}},
           .tables = {methods, few, sparse.table, coarse, times},
           .try_next = "--small 8; then ./run exercise int8_linear"},
          out, options);
}

}  // namespace

int main(int argc, char** argv) {
  Sizes sizes;
  return tutorial::run(argc, argv, "Tutorial 14: small devices: fewer bits, fewer weights, fewer units, and a teacher",
                       {.steps = 600, .out = "out/tutorial-14"},
                       [&](const tutorial::Options& options) { run(options, sizes); },
                       {{"--large", &sizes.large, "hidden units of the large model"},
                        {"--small", &sizes.small, "hidden units of the student"}});
}
