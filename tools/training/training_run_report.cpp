#include <gradus/autograd/parallel.hpp>
#include <gradus/data/perplexity.hpp>
#include <gradus/message.hpp>
#include <gradus/plot/heatmap.hpp>
#include <gradus/plot/page.hpp>

#include <cmath>
#include <optional>
#include <sstream>

#include "reports/alignment_data.hpp"
#include "settings/numbers.hpp"
#include "settings/program.hpp"
#include "training/training_run.hpp"

namespace gradus::tools {
namespace {

constexpr std::size_t pictured = 3;  // number of alignments in alignments.svg

}  // namespace

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
  if (settings_.trainer.schedule == "plateau") fields.push_back(message("rate ", trainer_->learning_rate()));
  return fields;
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
       << corpus_.test.size() << " test\n";
  if (corpus_.dropped > 0) {
    text << "dropped     " << corpus_.dropped
         << " pairs outside --min-tokens, --max-tokens and --max-target-tokens\n";
  }
  text << "vocabulary  ";
  if (sides_.source.frames) {
    text << "frames of " << sides_.source.frames->size() << " bands, ";
  } else {
    text << sides_.source.vocabulary.size() << " source, ";
  }
  text << sides_.target.vocabulary.size() << " target tokens\n"
       << "model       " << settings_.model.decoder;
  if (attends_) text << " with " << settings_.model.attention << " attention";
  text << ", " << model_->parameter_count() << " parameters\n";
  for (const Pretrained& one : pretrained_) text << one.report;
  text << "steps       " << settings_.trainer.steps << ", " << batches_->batches_in_epoch()
       << (settings_.trainer.accumulate > 1 ? " batches per epoch, " : " per epoch, ")

       << threads() << (threads() == 1 ? " thread" : " threads");
  if (settings_.trainer.shards > 1)
    text << " for each of " << processes_.size() << " processes, " << settings_.trainer.shards << " shards";
  text << '\n';
  if (trainer_->steps() > 0) text << "resumed     after step " << trainer_->steps() << '\n';
  return text.str();
}

std::vector<std::string> TrainingRun::notes() const {
  std::vector<std::string> notes;
  if (trainer_->steps() == 0) notes = corpus_.notes;  // a resumed run repeats none
  if (!initial_note_.empty()) notes.push_back(initial_note_);
  if (!teacher_note_.empty()) notes.push_back(teacher_note_);
  if (has_other_dev_pairs_) {
    notes.emplace_back(
        "the dev pairs are not those of before, so the best checkpoint is chosen among new ones");
  }
  if (corpus_.train.size() == 1) {
    notes.emplace_back(
        "there is only one training pair, which the model will learn by heart; give more text");
  }
  if (corpus_.dev.empty() && settings_.trainer.eval_every > 0) {
    notes.emplace_back(
        "there are no dev pairs, so that no checkpoint is chosen as the best; raise --dev-percent, or give "
        "--dev-pairs");
  }
  return notes;
}

// Names the checkpoints in the average and, at the end of the run, the average's score.
std::string TrainingRun::average_line() const {
  if (!average_ || !owns_folder_) return "";
  std::ostringstream text;
  std::string steps;
  for (const std::int64_t step : average_->steps())
    steps.append(steps.empty() ? "" : ", ").append(std::to_string(step));
  if (steps.empty()) return "";
  text << "average of the weights after steps " << steps << ": ";
  if (average_score_) text << "dev " << settings_.run.metric << ' ' << digits(*average_score_, 4) << ", in ";
  text << average_->file().string() << '\n';
  return text.str();
}

std::string TrainingRun::summary() const {
  std::ostringstream text;
  const std::string out = settings_.run.out.string();
  if (trainer_->finished() && trainer_->steps() == begin_) {
    text << "no steps left: the run had ended after step " << begin_;
  } else {
    text << (trainer_->finished() ? "trained" : "stopped") << " after step " << trainer_->steps() << " in "
         << digits(seconds_since(started_), 0) << " s";
  }
  if (trainer_->finished() && trainer_->steps() < settings_.trainer.steps)
    text << ", stopped early: no new best in " << settings_.trainer.patience << " evaluations";
  if (const History::Evaluation* const entry = history_.best()) {
    text << "; best dev " << settings_.run.metric << ' ' << digits(entry->score, 4) << " at step "
         << entry->step;
  }
  text << '\n';
  if (processes_.size() > 1) {
    text << "adding up gradients took " << digits(sum_times_.summing, 1) << " s; process "
         << processes_.rank() << " waited " << digits(sum_times_.waiting, 1) << " s for it\n";
  }
  text << average_line();
  if (!owns_folder_) {
    text << "nothing was saved\n";
  } else if (!trainer_->finished()) {
    text << "resume with: " << command() << " train --resume " << out << '\n';
  } else {
    text << "now try: " << program() << " evaluate --model " << out << '\n'
         << "         " << program() << " translate --model " << out << '\n';
  }
  return text.str();
}

}  // namespace gradus::tools
