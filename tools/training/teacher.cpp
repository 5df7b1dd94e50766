#include "training/teacher.hpp"

#include <gradus/compress/distillation.hpp>
#include <gradus/message.hpp>
#include <gradus/models/decode.hpp>

#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

#include "files/run_corpus.hpp"
#include "files/saved_ensemble.hpp"
#include "reports/search_meter.hpp"
#include "settings/fits.hpp"
#include "settings/search_options.hpp"
#include "settings/usage_error.hpp"
#include "training/shard.hpp"

namespace gradus::tools {
namespace {

// Loads the teacher of the run in the folder `run`.
SavedModel loaded(const std::filesystem::path& teacher, const std::filesystem::path& run,
                  const models::Registry& registry) {
  try {
    return load_saved_model(found_from(teacher, start_of_run(run)), registry);
  } catch (const Error& error) {
    const std::string text = error.what();
    fail("teacher", text.substr(text.find(": ") + 2));  // without the operation
  }
}

std::string to_line(const std::vector<std::int64_t>& tokens) {
  std::string line;
  for (const std::int64_t token : tokens) line += std::to_string(token) + ' ';
  return line + '\n';
}

std::vector<std::int64_t> read_line(std::istream& lines) {
  std::string line;
  std::getline(lines, line);
  std::istringstream words(line);
  return {std::istream_iterator<std::int64_t>(words), {}};
}

}  // namespace

Sides with_vocabularies_of_teacher(Sides sides, const Settings& settings, const models::Registry& registry) {
  if (settings.teacher.model.empty()) return sides;
  const SavedModel teacher = loaded(settings.teacher.model, settings.run.out, registry);
  return with_vocabularies_of(teacher.sides, teacher.settings.data, std::move(sides), settings.data);
}

std::shared_ptr<SavedModel> load_teacher(const TeacherSettings& settings, const Sides& sides,
                                         const std::filesystem::path& run, const models::Registry& registry) {
  if (settings.model.empty()) return nullptr;
  auto teacher = std::make_shared<SavedModel>(loaded(settings.model, run, registry));
  check_same_tokens("teacher", *teacher, sides);
  if (!share_frames(*teacher, sides.source.frames)) {
    fail("teacher", "'", teacher->path.string(),
         "' was trained on other frames than this run; train both on the same files");
  }
  teacher->checkpoint = {};  // drops a second copy of the weights
  return teacher;
}

std::vector<data::Pair> taught_pairs(const SavedModel& teacher, std::vector<data::Pair> pairs,
                                     std::int64_t beam, std::int64_t shards,
                                     distributed::Communicator& processes) {
  check_beam_fits(beam, teacher.sides.target.vocabulary.size(), "--teacher-beam");
  SearchOptions options;
  options.beam.width = beam;
  std::vector<data::Pair*> all;
  for (data::Pair& pair : pairs) all.push_back(&pair);
  // The pairs of one process, shard by shard. A shard is translated by itself, so that its batches do not
  // depend on the number of processes.
  const auto shards_of = [&](std::int64_t rank) {
    std::vector<std::vector<data::Pair*>> of_rank;
    for (std::int64_t shard = rank; shard < shards; shard += processes.size())
      of_rank.push_back(elements_of<data::Pair*>(all, shard, shards));
    return of_rank;
  };
  SearchMeter meter;
  meter.show("translating with the teacher", std::ssize(pairs) / processes.size());
  const models::SearchOfBatch search = meter.measured(options.search());
  std::string written;
  for (const std::vector<data::Pair*>& shard : shards_of(processes.rank())) {
    std::vector<std::vector<std::int64_t>> sources;
    for (const data::Pair* pair : shard) sources.push_back(pair->source);
    const auto found =
        models::decode(*teacher.model, sources, search, {.batch_tokens = options.translation().batch_tokens});
    for (const auto& outputs : found) written += to_line(outputs.front().tokens);
  }
  meter.report(std::cerr);
  std::cerr << "note: the training targets are the teacher's translations\n";

  const std::vector<std::string> all_written = distributed::gather(processes, written);
  std::int64_t kept = 0;
  for (std::int64_t rank = 0; rank < processes.size(); ++rank) {
    std::istringstream lines(all_written[static_cast<std::size_t>(rank)]);
    for (const std::vector<data::Pair*>& shard : shards_of(rank)) {
      for (data::Pair* pair : shard) {
        std::vector<std::int64_t> translation = read_line(lines);
        if (translation.empty() || translation.back() != data::eos) {
          ++kept;
        } else {
          pair->target = std::move(translation);
        }
      }
    }
  }
  if (kept > 0) {
    std::cerr << "note: " << kept << " of " << pairs.size()
              << " training pairs keep their targets, because the teacher's outputs did not end\n";
  }
  return pairs;
}

models::Objective teacher_objective(const TeacherSettings& settings,
                                    const std::shared_ptr<SavedModel>& teacher,
                                    const models::Encoder& student) {
  if (!teacher || !settings.is_in_loss()) return {};
  if (settings.attention > 0 && !attends(*teacher->model)) {
    throw UsageError(message("--teacher-attention needs attention weights, which the teacher '",
                             teacher->path.string(), "' (decoder '", teacher->settings.model.decoder,
                             "') lacks; omit --teacher-attention, or give another --teacher"));
  }
  const std::int64_t of_teacher = teacher->model->encoder.steps_per_annotation(),
                     of_student = student.steps_per_annotation();
  if (settings.attention > 0 && of_teacher != of_student) {
    const char* const what = teacher->sides.source.frames ? "frames" : "tokens";
    throw UsageError(message("--teacher-attention compares annotations, and the number of ", what,
                             " per annotation is ", of_teacher, " in the teacher '", teacher->path.string(),
                             "' and ", of_student,
                             " in the student; train both with the same --convolution and --pyramid, or omit "
                             "--teacher-attention"));
  }
  // `model` shares ownership of `teacher`, because the model needs `teacher->int8`.
  const std::shared_ptr<const models::Seq2Seq> model(teacher, teacher->model.get());
  return compress::distillation(
      model,
      {.weight = settings.weight, .temperature = settings.temperature, .attention = settings.attention});
}

}  // namespace gradus::tools
