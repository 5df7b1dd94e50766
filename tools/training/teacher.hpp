#pragma once

#include <gradus/data/tokens.hpp>
#include <gradus/distributed/communicator.hpp>
#include <gradus/models/loss.hpp>
#include <gradus/models/registry.hpp>

#include <memory>
#include <vector>

#include "files/corpus.hpp"
#include "files/saved_model.hpp"
#include "settings/settings.hpp"

namespace gradus::tools {

/// with_vocabularies_of() the teacher. Without `--teacher`, returns the same sides.
/// @throws Error if load_saved_model() throws.
Sides with_vocabularies_of_teacher(Sides sides, const Settings& settings, const models::Registry& registry);

/// The model of `--teacher`. It reads the frames of this run. Null without this option.
/// @param run the run's folder. If the teacher's path is relative and does not exist, it is looked up below
/// start_of_run(run).
/// @throws Error if load_saved_model() or check_same_tokens() throws, or if the teacher was trained on other
/// frames.
std::shared_ptr<SavedModel> load_teacher(const TeacherSettings& settings, const Sides& sides,
                                         const std::filesystem::path& run, const models::Registry& registry);

/// Replaces the targets by the teacher's translations, found by beam search of this width: sequence-level
/// distillation (Kim and Rush 2016, section 3.2). If the teacher's output for a source reaches the maximum
/// length before EOS, the pair keeps its target. Each process translates its part of the pairs, and all
/// processes return the same pairs. Prints the speed of the search (see SearchMeter::report()), a note that
/// the targets are translations, and the number of pairs that keep their targets, unless it is 0.
/// @param shards the parts into which the pairs are divided. The translations do not depend on the number of
/// processes, which must divide this number.
/// @throws UsageError if check_beam_fits() throws.
std::vector<data::Pair> taught_pairs(const SavedModel& teacher, std::vector<data::Pair> pairs,
                                     std::int64_t beam, std::int64_t shards,
                                     distributed::Communicator& processes);

/// The objective for the teacher's predictions and attention weights; none without a teacher, or if
/// `settings` gives the weight 0 to both.
/// @param student the encoder of the model to train
/// @throws UsageError if `--teacher-attention` cannot compare the attention weights of teacher and student.
models::Objective teacher_objective(const TeacherSettings& settings,
                                    const std::shared_ptr<SavedModel>& teacher,
                                    const models::Encoder& student);

}  // namespace gradus::tools
