#include "training/training_run.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/data/hash.hpp>
#include <gradus/data/perplexity.hpp>
#include <gradus/distributed/processes.hpp>
#include <gradus/files/atomic.hpp>
#include <gradus/message.hpp>
#include <gradus/nn/optimisers.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <unistd.h>
#include <utility>

#include "files/initial_weights.hpp"
#include "files/pretrained.hpp"
#include "files/run_corpus.hpp"
#include "files/run_folder.hpp"
#include "files/saved_model.hpp"
#include "reports/alignment_data.hpp"
#include "reports/progress.hpp"
#include "settings/numbers.hpp"
#include "settings/program.hpp"
#include "settings/usage_error.hpp"
#include "training/dev_scores.hpp"
#include "training/run_batches.hpp"
#include "training/run_checkpoint.hpp"
#include "training/teacher.hpp"

namespace gradus::tools {
namespace {

models::TrainerOptions trainer_options(const Settings& settings, bool evaluates) {
  models::TrainerOptions options = settings.trainer;
  options.learning_rate = settings.run.learning_rate > 0
                              ? settings.run.learning_rate
                              : nn::find_optimiser(options.optimiser).learning_rate;
  options.better = settings.run.metric == "loss" ? nn::Better::lower : nn::Better::higher;
  if (!evaluates) options.eval_every = 0;
  options.names_origin = false;  // the origin helps only programs that define operations
  return options;
}

// True if the settings `now` demand zeros that the best model of a run with the settings `before` may not
// have.
bool changes_zeros(const PruneSettings& before, const PruneSettings& now) {
  return now.sparsity > 0 && (now.sparsity != before.sparsity || now.per_matrix != before.per_matrix);
}

// The tokenisers and vocabularies. If a model's vocabularies fit, takes them: those of the resumed
// checkpoint, else of --init-from, else of --teacher.
Sides sides_of(const Settings& settings, const models::Checkpoint* resumed,
               std::span<const data::SentencePair> train, const models::Registry& registry) {
  if (resumed != nullptr) {
    const Origin origin =
        origin_of(settings.run.out / run_file::last, resumed->tensors, resumed->metadata, registry);
    return make_run_sides(settings, origin, train);
  }
  Sides sides = make_sides(settings.data, train);
  if (settings.run.init_from.empty())
    return with_vocabularies_of_teacher(std::move(sides), settings, registry);
  const SavedModel initial = load_saved_model(settings.run.init_from, registry);
  return with_vocabularies_of(initial.sides, initial.settings.data, std::move(sides), settings.data);
}

}  // namespace

TrainingRun::TrainingRun(Settings settings, const models::Checkpoint* resumed,
                         const models::Registry& registry, distributed::Communicator* processes)
    : processes_(processes == nullptr ? alone_ : *processes),
      settings_(std::move(settings)),
      corpus_(resumed == nullptr ? read_corpus(settings_.data, settings_.run.seed)
                                 : read_resumed_corpus(settings_, settings_.run.out)),
      sides_(sides_of(settings_, resumed, corpus_.train, registry)),
      dev_ids_(encode(corpus_.dev, sides_)),
      batches_(make_batches(settings_, corpus_, encode(corpus_.train, sides_), sides_, registry)),
      attends_(registry.context_of(settings_.model.decoder) == models::SourceContext::attention),
      pretrained_(resumed == nullptr ? read_embeddings(settings_, sides_) : std::vector<Pretrained>{}) {
  check_frames(corpus_.test, sides_);
  static_cast<void>(to_text(settings_));  // refuses paths that cannot be saved, before training
  if (leads()) {
    folder_.emplace(settings_.run.out);
    lock_.emplace("train", settings_.run.out);
    finish_replacement(settings_.run.out);
    if (settings_.run.average > 0) average_.emplace(settings_.run.out, settings_.run.average, settings_.int8);
  }
  const std::int64_t threads =
      settings_.run.threads == 0 && processes_.size() > 1 ? 1 : settings_.run.threads;
  if (threads > 0) set_threads(static_cast<int>(threads));
  gradus::seed(settings_.run.seed);
  model_ = make_model(settings_, sides_, registry);
  if (resumed == nullptr) initial_note_ = load_initial_weights(settings_, sides_, *model_, registry);
  set_embeddings(pretrained_, *model_);
  freeze_embeddings(settings_.run, *model_);
  const std::shared_ptr<SavedModel> teacher =
      load_teacher(settings_.teacher, sides_, settings_.run.out, registry);
  if (teacher) teacher_fingerprint_ = models::fingerprint(teacher->model->named_parameters());
  if (processes_.size() > 1) check_agree(processes_, facts_of_data());
  if (teacher && settings_.teacher.beam > 0) {
    batches_ = make_batches(settings_, corpus_,
                            taught_pairs(*teacher, encode(corpus_.train, sides_), settings_.teacher.beam,
                                         settings_.trainer.shards, processes_),
                            sides_, registry);
  }
  pruning_ = make_pruning(*model_, settings_);
  models::TrainerOptions options = trainer_options(settings_, !corpus_.dev.empty());
  options.after_update = [this](std::int64_t step) { after_update(step); };
  options.loss.objective = teacher_objective(settings_.teacher, teacher, model_->encoder);
  trainer_ = std::make_unique<models::Trainer>(*model_, stream_of(batches_, settings_), options,
                                               distributed::processes_of(processes_, &sum_times_));
  if (resumed != nullptr) {
    const Settings before = settings_from_text(resumed->metadata.at("settings"));
    load_state(*trainer_, *resumed, settings_, sides_);
    if (settings_.trainer.steps < trainer_->steps()) {
      throw UsageError(message(settings_.run.epochs > 0 ? "--epochs " : "--steps ",
                               settings_.run.epochs > 0 ? settings_.run.epochs : settings_.trainer.steps,
                               " ends before step ", trainer_->steps(),
                               ", which the run has reached; give more"));
    }
    resume_scores(*resumed, before);
    resume_pruning(before.prune);
    // If the teacher only translates, load_state() has already compared its translations.
    if (settings_.teacher.is_in_loss() && has_other_teacher(*resumed, teacher_fingerprint_)) {
      teacher_note_ = message("the weights of the teacher '", teacher->path.string(),
                              "' are not those of before, so this run differs from an uninterrupted one");
    }
  }
  if (settings_.int8) start_rounding(resumed);
  if (processes_.size() > 1) {
    check_agree(processes_, {{trainer_->steps() > 0 ? "the checkpoint" : "the initial weights",
                              models::fingerprint(trainer_->state())}});
  }
  if (!leads()) return;
  if (resumed != nullptr) resume_folder();
  files::sweep(settings_.run.out);
}

// Rounds the weights. If a checkpoint has their exact values, continues with these.
void TrainingRun::start_rounding(const models::Checkpoint* resumed) {
  rounding_.emplace(*model_);
  if (resumed == nullptr) return;
  const NamedTensors exact = exact_weights(*resumed);
  if (!exact.empty()) rounding_->load_state(exact);
}

void TrainingRun::after_update(std::int64_t step) {
  if (pruning_) pruning_->after_update(step);
  if (!rounding_) return;
  try {
    rounding_->after_update();
  } catch (const Error&) {  // replaces a message that names only a row
    fail("train", "a weight is not finite after step ", step, "; lower the learning rate");
  }
}

// Forgets all earlier scores if a resumed run has another metric or other dev pairs than before, because the
// new scores cannot be compared with them. Also does so if --int8 begins, because the models with these
// scores are not rounded.
void TrainingRun::resume_scores(const models::Checkpoint& resumed, const Settings& before) {
  const bool is_other_metric = settings_.run.metric != before.run.metric,
             begins_int8 = settings_.int8 && !before.int8;
  has_other_dev_pairs_ = has_other_dev_pairs(resumed, corpus_.dev);
  scores_change_ = is_other_metric || begins_int8 || has_other_dev_pairs_;
  if (!scores_change_) return;
  trainer_->forget_scores();
  if (!trainer_->finished()) return;
  const auto [what, remedy] = is_other_metric ? std::pair{"--metric", "omit --metric"}
                              : begins_int8   ? std::pair{"--int8", "omit --int8"}
                                              : std::pair{"the dev pairs", "give the original dev pairs"};
  throw UsageError(message("the run has ended after step ", trainer_->steps(), ", so that ", what,
                           " cannot change; give more ", settings_.run.epochs > 0 ? "--epochs" : "--steps",
                           ", or ", remedy));
}

// Continues the pruning in a resumed run. `before` are the run's earlier settings. If the present settings
// demand different zeros, forgets all earlier scores, because the models with these scores have the earlier
// zeros.
void TrainingRun::resume_pruning(const PruneSettings& before) {
  zeros_change_ = changes_zeros(before, settings_.prune);
  if (zeros_change_) trainer_->forget_scores();
  if (before != settings_.prune && trainer_->finished()) {
    throw UsageError(message("the run has ended after step ", trainer_->steps(),
                             ", so that --prune and its options cannot change; give more ",
                             settings_.run.epochs > 0 ? "--epochs" : "--steps",
                             ", or omit --prune and its options"));
  }
  if (pruning_) pruning_->resume(trainer_->steps());
}

void TrainingRun::resume_folder() {
  history_ = History::read(settings_.run.out / run_file::log, trainer_->steps());
  if (history_.damaged_lines() > 0) {
    std::cerr << "note: damaged lines dropped from " << run_file::log << ": " << history_.damaged_lines()
              << '\n';
  }
  if (scores_change_) history_.forget_best();
  alignments_ = content_if_there(settings_.run.out / run_file::alignments);
  Settings kept = settings_;  // gets the original --out, which start_of_run() reads
  if (const auto start = start_of_run(settings_.run.out)) {
    kept.run.out = std::filesystem::relative(settings_.run.out, *start);
  }
  folder_->write(run_file::settings, to_text(kept));
  owns_folder_ = true;
  resume_average();
}

// The properties of program, options, data and teacher, which must agree between processes.
std::vector<Fact> TrainingRun::facts_of_data() const {
  std::vector<Fact> facts = facts_of_program();
  for (const Fact& option : facts_of_options(settings_)) facts.push_back(option);
  const auto add = [&](const char* what, std::uint64_t hash) {
    facts.push_back({what, std::to_string(hash)});
  };
  add("the source vocabulary", data::stable_hash(sides_.source.vocabulary.to_text()));
  add("the target vocabulary", data::stable_hash(sides_.target.vocabulary.to_text()));
  add("the training pairs", batches_->fingerprint());
  facts.push_back({"the dev pairs", fingerprint(corpus_.dev)});
  if (!teacher_fingerprint_.empty()) facts.push_back({"the teacher's weights", teacher_fingerprint_});
  return facts;
}

bool TrainingRun::train(const std::function<bool()>& interrupted, const plot::ProgressBar::Clock& clock) {
  try {
    return take_steps(interrupted, clock);
  } catch (const Error& error) {
    throw Error(error.what() + way_on());
  }
}

std::string TrainingRun::way_on() const {
  std::error_code ignored;
  if (!std::filesystem::exists(settings_.run.out / run_file::last, ignored)) return "";
  const std::string folder = settings_.run.out.string();
  if (leads() && !owns_folder_) return "; the previous run in '" + folder + "' is intact";
  return "; the last checkpoint is intact; resume with: " + command() + " train --resume " + folder;
}

// The beginning of a command line that starts as many processes as this run has.
std::string TrainingRun::command() const {
  return processes_.size() == 1 ? program() : message("mpirun -n ", processes_.size(), ' ', program());
}

bool TrainingRun::take_steps(const std::function<bool()>& interrupted,
                             const plot::ProgressBar::Clock& clock) {
  begin_ = trainer_->steps();
  const std::string resumed = begin_ > 0 ? " after step " + std::to_string(begin_) : "";
  Progress progress("training" + resumed, std::max<std::int64_t>(settings_.trainer.steps - begin_, 0),
                    "steps", clock);
  started_ = Clock::now();
  sums_ = {};
  std::int64_t saved = begin_;
  while (true) {
    if (trainer_->evaluation_due()) evaluate();
    const bool stops = distributed::broadcast(processes_, interrupted() ? 1 : 0) > 0;
    if (trainer_->finished() || stops) break;
    note(trainer_->step());
    progress.update(trainer_->steps() - begin_, fields());
    if (trainer_->steps() % settings_.run.save_every == 0) {
      save_last();
      saved = trainer_->steps();
    }
  }
  progress.finish();
  if (saved < trainer_->steps()) save_last();
  if (!leads()) return trainer_->finished();
  write_log();
  if (trainer_->finished()) score_average();
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

bool TrainingRun::is_pruned() const { return !pruning_ || pruning_->is_done(trainer_->steps()); }

// Tells the trainer the score. Returns true if the score is better than all earlier ones. A model that is not
// fully pruned yet cannot be the best.
bool TrainingRun::observe(double score) {
  if (is_pruned()) return trainer_->observe(score);
  trainer_->skip_evaluation();
  return false;
}

// True if this is the best evaluation so far. If two scores are equal, the lower loss is better: early in
// training, two models often have the same exact match.
bool TrainingRun::is_best(const History::Evaluation& entry) {
  if (observe(entry.score)) return true;
  if (!is_pruned()) return false;
  const History::Evaluation* const before = history_.best();
  return before != nullptr && entry.score == before->score && entry.loss < before->loss;
}

// The current model's scores on the dev pairs, computed by the processes that `by` connects.
History::Evaluation TrainingRun::measured(distributed::Communicator& by) const {
  const std::string& metric = settings_.run.metric;
  const DevScores scores =
      score(*model_, {sides_, corpus_.dev, dev_ids_}, metric != "loss", settings_.trainer.shards, by);
  return {.step = trainer_->steps(),
          .loss = scores.loss,
          .bleu = scores.bleu,
          .exact = scores.exact,
          .score = metric == "loss"   ? scores.loss
                   : metric == "bleu" ? scores.bleu
                                      : scores.exact,
          .best = false,
          .seconds = seconds_since(started_)};
}

void TrainingRun::evaluate() {
  const Clock::time_point start = Clock::now();
  History::Evaluation entry = measured(processes_);
  entry.best = is_best(entry);
  history_.add(entry);
  if (!leads()) return;
  if (entry.best) {
    save(run_file::best);
    alignments_ = alignments();
    if (!alignments_.empty()) folder_->write(run_file::alignments, alignments_);
  }
  write_log();
  if (::isatty(STDERR_FILENO) == 0) {
    std::cerr << "step " << entry.step << "  dev loss " << digits(entry.loss, 4) << "  perplexity "
              << digits(data::perplexity(entry.loss, 1), 2);
    if (!std::isnan(entry.bleu)) {
      std::cerr << "  BLEU " << digits(entry.bleu, 2) << "  exact " << digits(entry.exact, 4);
    }
    if (settings_.trainer.schedule == "plateau") std::cerr << "  learning rate " << trainer_->learning_rate();
    std::cerr << (entry.best ? "  best so far\n" : "\n");
  }
  sums_.start += Clock::now() - start;  // excludes the evaluation from tokens per second
}

models::Checkpoint TrainingRun::checkpoint() const {
  return checkpoint_of(*trainer_, rounding_ ? &*rounding_ : nullptr, settings_, sides_, corpus_.dev,
                       teacher_fingerprint_);
}

void TrainingRun::save(const std::string& name) {
  const models::Checkpoint present = checkpoint();
  check_finite(present, trainer_->steps());
  const bool is_first = !owns_folder_;
  if (is_first) take_folder(present);  // writes the last checkpoint
  if (!is_first || name != run_file::last) models::save_checkpoint(settings_.run.out / name, present);
}

// Replaces a previous run in the folder, so that no command mistakes the old model for the new. If the
// process is killed at any moment, either the previous run or the new one is complete.
void TrainingRun::take_folder(const models::Checkpoint& first) {
  models::save_checkpoint(settings_.run.out / run_file::next, first);
  finish_replacement(settings_.run.out);
  owns_folder_ = true;
  folder_->write(run_file::settings, to_text(settings_));
  write_log();
}

// Writes the log before last.safetensors. Resuming can drop log entries after the checkpoint, but cannot
// restore missing ones. Only the first checkpoint of a new run is written before the log.
void TrainingRun::save_last() {
  if (processes_.size() > 1)
    check_agree(processes_, {{"the state after step " + std::to_string(trainer_->steps()),
                              models::fingerprint(trainer_->state())}});
  if (!leads()) return;
  add_to_history();
  write_log();
  save(run_file::last);
  if (average_ && counts_for_average()) average_->add(trainer_->steps(), checkpoint());
}

// True if the current checkpoint is part of the average. Two kinds are not: the checkpoint of an
// interruption, so that a resumed run has the same average as an uninterrupted one; and the checkpoint of a
// model that is only partly pruned.
bool TrainingRun::counts_for_average() const {
  return is_pruned() && (trainer_->steps() % settings_.run.save_every == 0 || trainer_->finished());
}

// Repairs the files of the average: a killed run may have files of later steps, or lack the latest file.
// If the zeros change, removes the files of all steps.
void TrainingRun::resume_average() const {
  if (!average_) return;
  const std::int64_t step = trainer_->steps();
  average_->remove_after(zeros_change_ ? -1 : step);
  const std::vector<std::int64_t> kept = average_->steps();
  if (step == 0 || !counts_for_average() || (!kept.empty() && kept.back() == step)) return;
  average_->add(step, checkpoint());
}

void TrainingRun::score_average() {
  if (!average_ || corpus_.dev.empty()) return;
  NamedTensors own;
  for (const auto& [name, tensor] : model_->state_dict()) own.emplace_back(name, tensor.clone());
  models::load_model(*model_, models::load_checkpoint(average_->file()));
  average_score_ = measured(alone_).score;
  model_->load_state_dict(own);
}

void TrainingRun::write_log() {
  if (!owns_folder_) return;
  folder_->write(run_file::log, history_.text());
  if (!history_.training().empty() || !history_.evaluations().empty()) {
    folder_->write(run_file::curves, history_.curves());
    folder_->write(run_file::page, page());
  }
}

}  // namespace gradus::tools
