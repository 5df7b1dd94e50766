#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/compress/distillation.hpp>
#include <gradus/nn/decoder_step.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace gradus::compress {
namespace {

void check(const DistillationOptions& options) {
  if (!(options.weight >= 0 && options.weight <= 1)) {
    fail("distillation", "the weight must be in [0, 1], and is ", options.weight);
  }
  if (!(options.attention >= 0 && std::isfinite(options.attention))) {
    fail("distillation", "the weight of the attention must be finite and at least 0, and is ",
         options.attention);
  }
}

void check_temperature(double temperature) {
  if (temperature > 0 && std::isfinite(temperature)) return;
  fail("distillation", "the temperature must be finite and above 0, and is ", temperature);
}

// The teacher's logits (N, V) and, if `attends`, its attention weights.
models::ForcedPass taught(const models::Seq2Seq& teacher, const models::ForcedPass& pass, bool attends) {
  const NoGrad no_grad;
  models::ForcedPass result = pass;
  nn::DecoderStep::Start start = teacher.start(pass.source, pass.source_lengths);
  if (!attends) {
    result.logits = teacher.decoder->forward(start, pass.target_in, pass.targets);
    return result;
  }
  std::vector<Tensor> logits;
  result.weights.clear();
  nn::for_each_step(*teacher.decoder, std::move(start), pass.target_in.slice(0, pass.targets.steps()),
                    [&](std::int64_t /*t*/, nn::DecoderStep::Output& output) {
                      logits.push_back(std::move(output.logits));
                      result.weights.push_back(std::move(output.weights));
                    });
  result.logits = pack(stack(logits), pass.targets);
  return result;
}

Tensor weights_of(const char* whose, const models::ForcedPass& pass) {
  if (!pass.weights.front().defined()) {
    fail("distillation", "the ", whose, " has no attention weights; set the weight of the attention to 0");
  }
  return stack(pass.weights);
}

}  // namespace

Tensor word_distillation(const Tensor& student, const Tensor& teacher, double temperature) {
  check_temperature(temperature);
  if (student.rank() != 2 || student.shape() != teacher.shape() || student.size(0) == 0) {
    fail("word_distillation", "needs logits (N, V) of student and teacher, and got ", student.shape(),
         " and ", teacher.shape(), "; both models must have the same target vocabulary");
  }
  const auto [q, ln_q] = [&] {
    const NoGrad no_grad;
    const Tensor ln = log_softmax(teacher.to(student.dtype()) / temperature);
    return std::pair(exp(ln), ln);
  }();
  const Tensor ln_p = log_softmax(student / temperature);
  return sum(q * (ln_q - ln_p)) * (temperature * temperature / static_cast<double>(student.size(0)));
}

Tensor attention_distillation(const Tensor& student, const Tensor& teacher, const Tensor& target_lengths) {
  if (student.rank() != 3 || student.shape() != teacher.shape()) {
    fail("attention_distillation", "needs weights (T_y, B, T_x) of student and teacher, and got ",
         student.shape(), " and ", teacher.shape());
  }
  const std::int64_t T = student.size(0), B = student.size(1);
  check_lengths("attention_distillation", target_lengths, B, T);
  const Tensor ends =
      target_lengths.defined() ? target_lengths : full({B}, static_cast<double>(T), Dtype::i64);
  // True at the steps beyond the target's length, (T_y, B).
  const Tensor padding = less_equal(ends, unsqueeze(arange(T), 1));
  const auto lengths = ends.values<std::int64_t>();
  const std::int64_t steps = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  const Tensor a = masked_fill(teacher.detach().to(student.dtype()), unsqueeze(padding, 2), 0);
  // Replaces a = 0 by 1, so that a ln a = 0.
  const Tensor ln_a = log(masked_fill(a, equal(a, zeros({}, a.dtype())), 1));
  const Tensor least = full({}, 1e-9, student.dtype());
  return sum(a * (ln_a - log(maximum(student, least)))) /
         static_cast<double>(std::max<std::int64_t>(steps, 1));
}

models::Objective distillation(std::shared_ptr<const models::Seq2Seq> teacher,
                               const DistillationOptions& options) {
  check(options);
  check_temperature(options.temperature);
  if (!teacher) fail("distillation", "the given teacher is null");
  if (teacher->is_training()) fail("distillation", "the teacher is in training mode; call its eval()");
  const bool attends = options.attention > 0, shared = teacher->can_be_shared();
  const auto value = [teacher = std::move(teacher), options, attends](const models::ForcedPass& pass,
                                                                      const Tensor& loss) {
    const models::ForcedPass of_teacher = taught(*teacher, pass, attends);
    Tensor total = loss * (1 - options.weight) +
                   word_distillation(pass.logits, of_teacher.logits, options.temperature) * options.weight;
    if (attends) {
      total = total + attention_distillation(weights_of("student", pass), weights_of("teacher", of_teacher),
                                             pass.targets.lengths()) *
                          options.attention;
    }
    return total;
  };
  return {.value = value, .reads_weights = attends, .can_be_shared = shared};
}

}  // namespace gradus::compress
