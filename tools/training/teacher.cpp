#include "training/teacher.hpp"

#include <gradus/compress/distillation.hpp>
#include <gradus/message.hpp>

#include <memory>

#include "files/run_corpus.hpp"
#include "files/saved_ensemble.hpp"
#include "files/saved_model.hpp"
#include "settings/usage_error.hpp"

namespace gradus::tools {

models::Objective teacher_objective(const TeacherSettings& settings, const Sides& sides,
                                    const std::filesystem::path& run, const models::Encoder& student,
                                    const models::Registry& registry) {
  if (settings.model.empty()) return {};
  const auto saved =
      std::make_shared<SavedModel>(load_saved_model(found_from(settings.model, start_of_run(run)), registry));
  check_same_tokens("teacher", *saved, sides);
  if (settings.attention > 0 && !attends(*saved->model)) {
    throw UsageError(message("--teacher-attention needs attention weights, which the teacher '",
                             saved->path.string(), "' (decoder '", saved->settings.model.decoder,
                             "') lacks; omit --teacher-attention, or give another --teacher"));
  }
  const std::int64_t of_teacher = saved->model->encoder.steps_per_annotation(),
                     of_student = student.steps_per_annotation();
  if (settings.attention > 0 && of_teacher != of_student) {
    const char* const what = sides.source.frames ? "frames" : "tokens";
    throw UsageError(message("--teacher-attention compares annotations, but those of the teacher '",
                             saved->path.string(), "' cover ", of_teacher, ' ', what,
                             ", and those of the student ", of_student,
                             "; train both with the same --convolution and --pyramid, or omit "
                             "--teacher-attention"));
  }
  saved->checkpoint = {};  // drops a second copy of the weights
  // `model` shares ownership of `saved`, because the teacher needs `saved->int8`.
  const std::shared_ptr<const models::Seq2Seq> model(saved, saved->model.get());
  return compress::distillation(
      model,
      {.weight = settings.weight, .temperature = settings.temperature, .attention = settings.attention});
}

}  // namespace gradus::tools
