#pragma once

#include <gradus/models/loss.hpp>
#include <gradus/models/registry.hpp>

#include "files/corpus.hpp"
#include "settings/settings.hpp"

namespace gradus::tools {

/// The objective for `--teacher`; none without this option.
/// @param run the folder of a resumed run. If the teacher's path is relative and does not exist, it is looked
/// up from the folder in which this run was started.
/// @param student the encoder of the model to train
/// @throws UsageError if `--teacher-attention` cannot compare the weights of teacher and student
/// @throws Error if load_saved_model() or check_same_tokens() throws.
models::Objective teacher_objective(const TeacherSettings& settings, const Sides& sides,
                                    const std::filesystem::path& run, const models::Encoder& student,
                                    const models::Registry& registry);

}  // namespace gradus::tools
