// Distillation: compares each term of the loss with PyTorch or with plain equations, and tests the terms in a
// model's loss.

#include <gradus/compress/distillation.hpp>
#include <gradus/data/batch.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/train.hpp>
#include <gradus/nn/gradcheck.hpp>

#include <cmath>
#include <memory>
#include <vector>

#include "models/helpers.hpp"
#include "nn/against_golden.hpp"

namespace compress = gradus::compress;
namespace models = gradus::models;
namespace nn = gradus::nn;
using Catch::Approx;
using compress::distillation;
using compress::DistillationOptions;
using gradus::Tensor;
using gradus::tensor;

namespace {

const gradus::data::Batch batch = gradus::data::make_batch(tiny_pairs);

std::shared_ptr<models::Seq2Seq> make(std::uint64_t seed, models::ModelSizes sizes = tiny) {
  gradus::seed(seed);
  return models::make_bahdanau(sizes);
}

std::shared_ptr<models::Seq2Seq> make_teacher(models::ModelSizes sizes = tiny) {
  auto teacher = make(7, sizes);
  for (const Tensor& parameter : teacher->parameters()) Tensor(parameter).replace(parameter.detach() * 4);
  teacher->eval();
  return teacher;
}

double total(const models::Seq2Seq& model, const models::Objective& objective) {
  return models::loss(model, batch, {.objective = objective}).total.item();
}

}  // namespace

TEST_CASE("word_distillation is PyTorch's kl_div times the temperature's square", "[compress][golden]") {
  const Golden golden("distillation");
  for (const auto& [name, temperature] : {std::pair{"low.", 0.5}, {"one.", 1.0}, {"high.", 4.0}}) {
    const Golden part = golden.part(name);
    const nn::Module none;
    check_against(part, none, [&, temperature = temperature](const Leaves& leaf) {
      return gradus::NamedTensors{
          {"loss", compress::word_distillation(leaf.at("student"), part["teacher"], temperature)}};
    });
  }
}

TEST_CASE("attention_distillation is the mean divergence over the real steps", "[compress]") {
  const Tensor a = tensor({{{0.75, 0.25, 0}, {0.5, 0.25, 0.25}}, {{0.25, 0.25, 0.5}, {1, 0, 0}}}),
               alpha = tensor({{{0.5, 0.25, 0.25}, {0.25, 0.5, 0.25}}, {{0.5, 0.25, 0.25}, {0, 0.5, 0.5}}});
  const double expected = 0.75 * std::log(0.75 / 0.5) + (0.5 - 0.25) * std::log(2.0) +
                          (-0.25 + 0.5) * std::log(2.0);  // the steps (t, b) = (0, 0), (0, 1) and (1, 0)
  CHECK(compress::attention_distillation(alpha, a, integers({2, 1})).item() == Approx(expected / 3));
  CHECK(compress::attention_distillation(a, a, integers({2, 2})).item() == Approx(0).margin(1e-7));
  // At the second step, all of the teacher's weight is on a position where the student has no weight.
  CHECK(compress::attention_distillation(alpha, a, integers({0, 2})).item() ==
        Approx((0.25 * std::log(2.0) - std::log(1e-9)) / 2));
  CHECK(compress::attention_distillation(alpha, a, integers({0, 0})).item() == 0);
}

TEST_CASE("attention_distillation has correct gradients", "[compress][gradients]") {
  gradus::Generator generator(5);
  const auto draw = [&] {
    return softmax(gradus::normal({4, 2, 3}, 0, 1, generator)).to(gradus::Dtype::f64);
  };
  const Tensor teacher = draw();
  Tensor student = draw();
  const auto f = [&](const std::vector<Tensor>& x) {
    return compress::attention_distillation(x[0], teacher, integers({4, 2}));
  };
  check_gradients(gradus::gradcheck(f, {student}), 1);
  student.set_requires_grad();
  f({student}).backward();
  CHECK(student.grad()[3][1].to_vector<double>() == std::vector<double>{0, 0, 0});  // after the sentence
}

TEST_CASE("the objective weighs the data, the teacher's probabilities and its attention", "[compress]") {
  const auto student = make(1), teacher = make_teacher();
  const double alone = total(*student, {}), words = total(*student, distillation(teacher, {.weight = 1}));
  CHECK(total(*student, distillation(teacher, {.weight = 0})) == Approx(alone));
  CHECK(total(*student, distillation(teacher, {.weight = 0.3})) == Approx(0.7 * alone + 0.3 * words));
  const auto attending = [&](double lambda) {
    return total(*student, distillation(teacher, {.weight = 0, .attention = lambda})) - alone;
  };
  CHECK(attending(1) > 1e-2);
  CHECK(attending(3) == Approx(3 * attending(1)).epsilon(1e-3));
  CHECK(models::loss(*student, batch, {.objective = distillation(teacher)}).cross_entropy == Approx(alone));

  student->eval();
  const Tensor source = tensor(batch.source, {batch.source_steps, batch.size}),
               lengths = tensor(batch.source_lengths, {batch.size}),
               target = tensor(batch.target_in, {batch.target_steps, batch.size});
  const gradus::Packing targets(tensor(batch.target_lengths, {batch.size}));
  const auto logits = [&](const models::Seq2Seq& model) {
    return pack(model.forward(source, lengths, target).logits, targets);
  };
  CHECK(words == Approx(compress::word_distillation(logits(*student), logits(*teacher)).item()));
}

TEST_CASE("a student that is its teacher has no distance", "[compress]") {
  const auto teacher = make_teacher();
  const double alone = total(*teacher, {});
  const DistillationOptions options{.weight = 0.5, .temperature = 3, .attention = 2};
  CHECK(total(*teacher, distillation(teacher, options)) == Approx(0.5 * alone).epsilon(1e-5));
}

TEST_CASE("distillation has correct gradients in the student, and none in the teacher",
          "[compress][gradients]") {
  const auto student = make(1),
             teacher = make_teacher({.vocabulary = 9, .embedding = 3, .hidden = 6, .energy = 2});
  for (const DistillationOptions& options : {DistillationOptions{.weight = 0.4, .temperature = 2},
                                             {.weight = 1},
                                             {.weight = 0.5, .attention = 0.7}}) {
    const models::LossOptions with{.objective = distillation(teacher, options)};
    check_gradients(
        nn::gradcheck(*student, [&](const auto&) { return models::loss(*student, batch, with).total; }, {}),
        student->parameters().size());
  }
  models::loss(*student, batch, {.objective = distillation(teacher, {.attention = 1})}).total.backward();
  for (const Tensor& parameter : teacher->parameters()) CHECK(!parameter.grad().defined());
}

TEST_CASE("training only on a teacher brings the student to it", "[compress]") {
  const auto student = make(1), teacher = make_teacher();
  const models::TrainerOptions options{
      .steps = 150, .learning_rate = 1e-2, .loss = {.objective = distillation(teacher, {.weight = 1})}};
  const std::vector<double> losses = models::train(*student, [] { return batch; }, options);
  CHECK(losses.front() > 0.05);
  CHECK(losses.back() < losses.front() / 20);
}

TEST_CASE("distillation refuses options out of range, other vocabularies, and models without attention",
          "[compress]") {
  const auto student = make(1), teacher = make_teacher();
  CHECK_THROWS_WITH(distillation(teacher, {.weight = 1.5}),
                    "distillation: the weight must be in [0, 1], and is 1.5");
  CHECK_THROWS_WITH(distillation(teacher, {.temperature = 0}),
                    "distillation: the temperature must be finite and above 0, and is 0");
  CHECK_THROWS_WITH(distillation(teacher, {.attention = -1}),
                    "distillation: the weight of the attention must be finite and at least 0, and is -1");
  CHECK_THROWS_WITH(compress::distillation(nullptr), "distillation: the given teacher is null");
  CHECK_THROWS_WITH(compress::distillation(student),
                    "distillation: the teacher is in training mode; call its eval()");
  const auto other = make_teacher({.vocabulary = 10});
  CHECK_THROWS_WITH(
      total(*student, distillation(other, {})),
      Catch::Matchers::ContainsSubstring(
          "word_distillation: needs logits (N, V) of student and teacher, and got (10, 9) and (10, "
          "10); both models must have the same target vocabulary"));
  const std::shared_ptr<models::Seq2Seq> fixed = models::make_fixed_context(tiny);
  fixed->eval();
  CHECK_THROWS_WITH(
      total(*student, distillation(fixed, {.attention = 1})),
      "distillation: the teacher has no attention weights; set the weight of the attention to 0");
  CHECK_THROWS_WITH(
      total(*fixed, distillation(teacher, {.attention = 1})),
      "distillation: the student has no attention weights; set the weight of the attention to 0");
  CHECK_THROWS_WITH(compress::attention_distillation(gradus::zeros({2, 3, 4}), gradus::zeros({2, 3, 5}),
                                                     integers({1, 1, 1})),
                    "attention_distillation: needs weights (T_y, B, T_x) of student and teacher, and got (2, "
                    "3, 4) and (2, 3, "
                    "5)");
  CHECK_THROWS_WITH(
      models::loss(*student, batch, {.sampling = 0.5, .objective = compress::distillation(teacher)}),
      "loss: an objective reads the true previous tokens, and scheduled sampling replaces some; use only "
      "one");
}
