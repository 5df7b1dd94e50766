#include "training/training_run.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/data/perplexity.hpp>
#include <gradus/files/atomic.hpp>
#include <gradus/models/greedy.hpp>
#include <gradus/models/optimisers.hpp>
#include <gradus/plot/heatmap.hpp>
#include <gradus/plot/page.hpp>
#include <gradus/plot/progress.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>
#include <unistd.h>
#include <utility>

#include "files/non_finite.hpp"
#include "files/run_file.hpp"
#include "files/saved_model.hpp"
#include "reports/alignment_data.hpp"
#include "reports/measure.hpp"
#include "settings/fits.hpp"
#include "settings/program.hpp"

namespace gradus::tools {
namespace {

constexpr std::size_t pictured = 3;  // alignments

std::string digits(double value, int count) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(count) << (std::isnan(value) ? std::abs(value) : value);
  return text.str();
}

models::TrainerOptions trainer_options(const Settings& settings, bool evaluates) {
  models::TrainerOptions options = settings.trainer;
  options.learning_rate = settings.run.learning_rate > 0
                              ? settings.run.learning_rate
                              : models::find_optimiser(options.optimiser).learning_rate;
  options.better = settings.run.metric == "loss" ? nn::Better::lower : nn::Better::higher;
  if (!evaluates) options.eval_every = 0;
  return options;
}

// Also checks that training on the pairs fits in memory.
std::shared_ptr<data::Batches> make_batches(const Settings& settings, const Corpus& corpus,
                                            const Sides& sides, const models::Registry& registry) {
  std::vector<data::Pair> pairs = encode(corpus.train, sides);
  check_training_fits(settings, vocabularies_of(sides), pairs, registry);
  data::BatchesOptions options = settings.batches;
  options.seed = settings.run.seed;
  return std::make_shared<data::Batches>(std::move(pairs), options);
}

models::BatchStream stream_of(const std::shared_ptr<data::Batches>& batches) {
  const auto print = [batches] { return std::bit_cast<std::int64_t>(batches->fingerprint()); };
  return {.next = [batches] { return batches->next(); },
          .state = [batches, print]() -> std::vector<std::int64_t> {
            return {batches->epoch(), batches->position(), print()};
          },
          .set_state =
              [batches, print](const std::vector<std::int64_t>& place) {
                if (place.size() != 3 || place[2] != print()) {
                  fail("resume",
                       "the run was trained on other pairs or batches; give its original data and batch "
                       "options, or start a new run");
                }
                batches->set_state({.epoch = place[0], .position = place[1]});
              }};
}

std::string content_if_there(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Refuses to save non-finite parameters, so that the last good checkpoint stays. An update can produce them
// even if loss and gradient were finite.
void check_state(const NamedTensors& state, std::int64_t steps) {
  for (const auto& [name, tensor] : state) {
    if (!name.starts_with("model.") && !name.starts_with("trainer.optimiser.")) continue;
    if (tensor.dtype() != Dtype::f32) continue;
    const std::optional<float> bad = first_non_finite(tensor);
    if (!bad) continue;
    fail("train", "'", name, "' contains ", *bad, " after step ", steps,
         ", so it is not saved; lower the learning rate");
  }
}

// Removes the files of a previous run, so that no command mistakes its model for the new one.
void remove_run(const std::filesystem::path& folder, const std::string& kept) {
  for (const char* name : run_file::all) {
    if (name == kept) continue;
    std::error_code error;
    std::filesystem::remove(folder / name, error);
    if (error) files::refuse("train", "remove", folder / name, error.value());
  }
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TrainingRun::TrainingRun(Settings settings, const models::Checkpoint* resumed,
                         const models::Registry& registry)
    : settings_(std::move(settings)),
      corpus_(read_corpus(settings_.data, settings_.run.seed)),
      sides_(make_sides(settings_.data, corpus_.train)),
      dev_ids_(encode(corpus_.dev, sides_)),
      batches_(make_batches(settings_, corpus_, sides_, registry)),
      folder_(settings_.run.out),
      lock_("train", folder_.path()) {
  if (settings_.run.threads > 0) set_threads(static_cast<int>(settings_.run.threads));
  gradus::seed(settings_.run.seed);
  model_ = make_model(settings_, sides_, registry);
  trainer_ = std::make_unique<models::Trainer>(*model_, stream_of(batches_),
                                               trainer_options(settings_, !corpus_.dev.empty()));
  if (resumed != nullptr) {
    trainer_->load_state(resumed->tensors);
    history_ = History::read(folder_.path() / run_file::log, trainer_->steps());
    if (history_.damaged_lines() > 0) {
      std::cerr << "note: damaged lines dropped from " << run_file::log << ": " << history_.damaged_lines()
                << '\n';
    }
    alignments_ = content_if_there(folder_.path() / run_file::alignments);
    folder_.write(run_file::settings, to_text(settings_));
    owns_folder_ = true;
  }
  files::sweep(folder_.path());
}

bool TrainingRun::train(const std::function<bool()>& interrupted) {
  try {
    return take_steps(interrupted);
  } catch (const Error& error) {
    throw Error(error.what() + way_on());
  }
}

// Text added to an error message: which checkpoint is intact, and how to resume.
std::string TrainingRun::way_on() const {
  std::error_code ignored;
  if (!std::filesystem::exists(folder_.path() / run_file::last, ignored)) return "";
  const std::string folder = folder_.path().string();
  if (!owns_folder_) return "; the previous run in '" + folder + "' is intact";
  return "; the last checkpoint is intact; resume with: " + program() + " train --resume " + folder;
}

bool TrainingRun::take_steps(const std::function<bool()>& interrupted) {
  const std::int64_t begin = trainer_->steps(), steps = settings_.trainer.steps;
  std::optional<plot::ProgressBar> bar;
  if (begin < steps) bar.emplace("training", steps - begin);
  started_ = Clock::now();
  sums_ = {};
  std::int64_t saved = begin;
  while (true) {
    if (trainer_->evaluation_due()) evaluate();
    if (trainer_->finished() || interrupted()) break;
    note(trainer_->step());
    bar->update(trainer_->steps() - begin, fields());
    if (trainer_->steps() % settings_.run.save_every == 0) {
      save_last();
      saved = trainer_->steps();
    }
  }
  if (bar) bar->finish();
  if (saved < trainer_->steps()) save_last();
  write_log();
  return trainer_->finished();
}

void TrainingRun::note(const models::TrainStep& step) {
  ++sums_.steps;
  sums_.tokens += step.tokens;
  sums_.loss += step.loss;
  sums_.cross_entropy += step.cross_entropy;
  sums_.gradient_norm += step.gradient_norm;
  sums_.learning_rate = step.learning_rate;
  const std::int64_t interval = std::clamp<std::int64_t>(settings_.trainer.steps / 100, 1, 100);
  if (step.step % interval == 0) add_to_history();
}

void TrainingRun::add_to_history() {
  if (sums_.steps == 0) return;
  const auto n = static_cast<double>(sums_.steps);
  history_.add(
      History::Training{.step = trainer_->steps(),
                        .loss = sums_.loss / n,
                        .cross_entropy = sums_.cross_entropy / n,
                        .gradient_norm = sums_.gradient_norm / n,
                        .learning_rate = sums_.learning_rate,
                        .tokens_per_second = static_cast<double>(sums_.tokens) / seconds_since(sums_.start)});
  sums_ = {};
}

// The fields of the progress bar, most important first: a narrow terminal drops the last ones.
std::vector<std::string> TrainingRun::fields() const {
  std::vector<std::string> fields;
  if (!history_.training().empty()) {
    const History::Training& last = history_.training().back();
    fields.push_back("loss " + digits(last.loss, 3));
    fields.push_back("ppl " + digits(data::perplexity(last.cross_entropy, 1), 2));
  }
  if (!history_.evaluations().empty()) {
    fields.push_back("dev " + settings_.run.metric + ' ' + digits(history_.evaluations().back().score, 2));
  }
  if (!history_.training().empty()) {
    fields.push_back(digits(history_.training().back().tokens_per_second / 1000, 1) + "k tok/s");
  }
  return fields;
}

// Ties, frequent in early exact match, are broken by the lower loss.
bool TrainingRun::is_best(const History::Evaluation& entry) {
  if (trainer_->observe(entry.score)) return true;
  const History::Evaluation* const before = history_.best();
  return before != nullptr && entry.score == before->score && entry.loss < before->loss;
}

void TrainingRun::evaluate() {
  const Clock::time_point start = Clock::now();
  const std::string& metric = settings_.run.metric;
  History::Evaluation entry{.step = trainer_->steps(),
                            .loss = models::evaluate_loss(*model_, dev_ids_),
                            .bleu = std::nan(""),
                            .exact = std::nan(""),
                            .score = 0,
                            .best = false,
                            .seconds = seconds_since(started_)};
  if (metric != "loss") {
    const Scores scores = measure(*model_, sides_, corpus_.dev, models::greedy());
    entry.bleu = scores.bleu();
    entry.exact = scores.exact.fraction();
  }
  entry.score = metric == "loss" ? entry.loss : metric == "bleu" ? entry.bleu : entry.exact;
  entry.best = is_best(entry);
  history_.add(entry);
  if (entry.best) {
    save(run_file::best);
    alignments_ = alignments();
    if (!alignments_.empty()) folder_.write(run_file::alignments, alignments_);
  }
  write_log();
  if (::isatty(STDERR_FILENO) == 0) {
    std::cerr << "step " << entry.step << "  dev loss " << digits(entry.loss, 4) << "  perplexity "
              << digits(data::perplexity(entry.loss, 1), 2);
    if (!std::isnan(entry.bleu)) {
      std::cerr << "  BLEU " << digits(entry.bleu, 2) << "  exact " << digits(entry.exact, 4);
    }
    std::cerr << (entry.best ? "  best so far\n" : "\n");
  }
  sums_.start += Clock::now() - start;  // exclude evaluation from tokens per second
}

void TrainingRun::save(const std::string& name) {
  models::Checkpoint checkpoint{trainer_->state(), metadata_of(settings_, sides_)};
  check_state(checkpoint.tensors, trainer_->steps());
  models::save_checkpoint(folder_.path() / name, checkpoint);
  if (!owns_folder_) take_folder(name);
}

void TrainingRun::take_folder(const std::string& checkpoint) {
  remove_run(folder_.path(), checkpoint);
  owns_folder_ = true;
  folder_.write(run_file::settings, to_text(settings_));
  write_log();
}

// Writes the log before last.safetensors: resuming drops entries after the checkpoint, but cannot restore
// missing ones. Only the first checkpoint of a new run precedes the log.
void TrainingRun::save_last() {
  add_to_history();
  write_log();
  save(run_file::last);
}

void TrainingRun::write_log() {
  if (!owns_folder_) return;
  folder_.write(run_file::log, history_.text());
  if (!history_.training().empty() || !history_.evaluations().empty()) {
    folder_.write(run_file::curves, history_.curves());
    folder_.write(run_file::page, page());
  }
}

std::string TrainingRun::page() const {
  plot::Section course{.heading = "Loss", .svgs = {history_.curves()}};
  course.table.columns = {"step", "dev loss", "dev perplexity", "BLEU", "exact match", "best"};
  const auto cell = [](double value, int count) { return std::isnan(value) ? "" : digits(value, count); };
  for (const History::Evaluation& entry : history_.evaluations()) {
    course.table.rows.push_back({std::to_string(entry.step), digits(entry.loss, 4),
                                 digits(data::perplexity(entry.loss, 1), 2), cell(entry.bleu, 2),
                                 cell(entry.exact, 4), entry.best ? "best so far" : ""});
  }
  plot::Page page{.title = "A run of gradus train", .sections = {std::move(course)}};
  if (!alignments_.empty()) {
    page.sections.push_back({.heading = "Attention weights of the best model", .svgs = {alignments_}});
  }
  page.sections.push_back({.heading = "Data and model", .preformatted = introduction()});
  page.sections.push_back({.heading = "Settings", .preformatted = to_text(settings_)});
  return plot::html(page);
}

// Attention weights for the first dev sentences, side by side; empty without attention.
std::string TrainingRun::alignments() const {
  std::vector<SentenceToAlign> sentences;
  for (const data::SentencePair& pair : corpus_.dev) {
    if (sentences.size() < pictured) sentences.push_back({pair.source, std::nullopt});
  }
  std::vector<plot::Heatmap> heatmaps;
  for (const Alignment& alignment : make_alignments(*model_, sides_, sentences)) {
    if (!alignment.decoded.weights.defined()) return "";
    heatmaps.push_back(heatmap_of(alignment));
  }
  return heatmaps.empty() ? "" : plot::strip(heatmaps);
}

std::string TrainingRun::introduction() const {
  std::ostringstream text;
  text << "pairs       " << corpus_.train.size() << " train, " << corpus_.dev.size() << " dev, "
       << corpus_.test.size() << " test\n"
       << "vocabulary  " << sides_.source.vocabulary.size() << " source, " << sides_.target.vocabulary.size()
       << " target tokens\n"
       << "model       " << settings_.model.decoder;
  if (settings_.model.decoder == "bahdanau") text << " with " << settings_.model.attention << " attention";
  text << ", " << model_->parameter_count() << " parameters\n"
       << "steps       " << settings_.trainer.steps << ", " << batches_->batches_in_epoch() << " per epoch, "
       << threads() << (threads() == 1 ? " thread\n" : " threads\n");
  if (trainer_->steps() > 0) text << "resumed     after step " << trainer_->steps() << '\n';
  return text.str();
}

std::string TrainingRun::summary() const {
  std::ostringstream text;
  const std::string out = folder_.path().string();
  text << (trainer_->finished() ? "trained" : "stopped") << " after step " << trainer_->steps() << " in "
       << digits(seconds_since(started_), 0) << " s";
  if (trainer_->finished() && trainer_->steps() < settings_.trainer.steps)
    text << ", stopped early: no new best in " << settings_.trainer.patience << " evaluations";
  if (const History::Evaluation* const entry = history_.best()) {
    text << "; best dev " << settings_.run.metric << ' ' << digits(entry->score, 4) << " at step "
         << entry->step;
  }
  text << '\n';
  if (!owns_folder_) {
    text << "nothing was saved\n";
  } else if (!trainer_->finished()) {
    text << "resume with: " << program() << " train --resume " << out << '\n';
  } else {
    text << "now try: " << program() << " evaluate --model " << out << '\n'
         << "         " << program() << " translate --model " << out << '\n';
  }
  return text.str();
}

}  // namespace gradus::tools
