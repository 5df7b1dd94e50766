// Models with sparse, local or drawn attention: training, searches, and REINFORCE through a whole decoder.

#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/trainer.hpp>
#include <gradus/nn/dot_product_attention.hpp>
#include <gradus/nn/normaliser.hpp>
#include <gradus/nn/projected_query.hpp>

#include <map>

#include "models/decoding.hpp"
#include "models/extension.hpp"

namespace data = gradus::data;
namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Tensor;

namespace {

const data::Batch batch = tiny_batch();
const BatchTensors x(batch);
const char* const drawn[] = {"hard", "gumbel"};

Model make(const std::string& attention) {
  gradus::seed(1);
  return models::make_model({.attention = attention, .embedding = 5, .hidden = 4, .energy = 3},
                            {.source = 9, .target = 9});
}

std::map<std::string, Tensor> gradients(const models::Seq2Seq& model, const Tensor& loss) {
  for (auto& [name, parameter] : model.named_parameters()) Tensor(parameter).zero_grad();
  loss.backward();
  std::map<std::string, Tensor> all;
  for (const auto& [name, parameter] : model.named_parameters()) all[name] = parameter.grad();
  return all;
}

}  // namespace

TEST_CASE("models with sparse or local attention train and decode as all others", "[models][sparse]") {
  check_extension(*make("sparsemax"));
  check_extension(*make("top_k"));
  check_extension(*make("local_p"), false);
}

TEST_CASE("models with drawn attention learn", "[models][sparse]") {
  for (const char* attention : drawn) {
    INFO(attention);
    check_loss_falls(*make(attention));
  }
}

TEST_CASE("the same seed draws the same positions, another one others", "[models][sparse]") {
  for (const char* attention : drawn) {
    INFO(attention);
    const Model model = make(attention);
    const auto loss = [&](std::uint64_t seed) {
      gradus::seed(seed);
      return models::loss(*model, batch).total.item();
    };
    CHECK(loss(2) == loss(2));
    CHECK(loss(2) != loss(3));
    model->eval();
    CHECK(loss(2) == loss(3));
  }
}

TEST_CASE("drawn attention decodes with one position per step, in every search", "[models][sparse]") {
  for (const char* attention : drawn) {
    INFO(attention);
    const Model model = make(attention);
    model->eval();
    for (const NamedSearch& one : searches()) {
      INFO(one.name);
      for (const auto& outputs : one.search(*model, x.source, x.source_lengths, {})) {
        for (const models::Decoded& decoded : outputs) {
          for (const double weight : decoded.weights.to_vector<double>()) CHECK((weight == 0 || weight == 1));
          CHECK(sum(decoded.weights).item() == static_cast<double>(decoded.tokens.size()));
        }
      }
    }
  }
}

TEST_CASE("REINFORCE does not change the loss, and trains the score", "[models][sparse][reinforce]") {
  const Model model = make("hard");
  const models::Loss loss = models::loss(*model, batch);
  CHECK(loss.total.item() == static_cast<double>(static_cast<float>(loss.cross_entropy)));
  CHECK(max(abs(gradients(*model, loss.total).at("decoder.attention.W_a.weight"))).item() > 0);
  model->eval();
  const auto constant = gradients(*model, models::loss(*model, batch).total);
  CHECK_FALSE(constant.at("decoder.attention.W_a.weight").defined());
}

TEST_CASE("the mean gradient of a model with hard attention is that of its expected loss",
          "[models][sparse][reinforce]") {
  constexpr std::int64_t draws = 60000;
  const data::Pair pair{{3, 8}, {7, 2}};  // two positions, two steps: 2² sequences of choices
  const data::Batch one = data::make_batch({&pair, 1});
  const Model model = make("hard");
  model->to(Dtype::f64);
  for (Tensor parameter : model->parameters()) {
    for (double& value : parameter.mutable_values<double>()) value *= 4;  // so that choices change the loss
  }
  gradus::seed(4);
  const std::vector<data::Pair> pairs(draws, pair);
  const auto estimated = gradients(*model, models::loss(*model, data::make_batch(pairs)).total);

  auto& attention = dynamic_cast<nn::AdditiveAttention&>(
      *dynamic_cast<models::BahdanauDecoder&>(*model->decoder).attention);
  std::vector<std::int64_t> choices;
  std::size_t step = 0;
  Tensor probability;
  // Gives step t all weight at position choices[t], and multiplies `probability` by the probability of this
  // position.
  attention.set_normaliser({.weights = [&](const Tensor& e, const Tensor& /*lengths*/, bool /*training*/) {
    const Tensor chosen = gradus::one_hot(integers({choices[step++]}), 2, Dtype::f64);
    probability = probability * sum(softmax(e) * chosen);
    return chosen;
  }});
  Tensor expected = gradus::zeros({}, Dtype::f64);
  for (std::int64_t first : {0, 1}) {
    for (std::int64_t second : {0, 1}) {
      choices = {first, second};
      step = 0;
      probability = gradus::ones({}, Dtype::f64);
      const Tensor loss = models::loss(*model, one).total;
      expected = expected + probability * loss;
    }
  }
  const auto exact = gradients(*model, expected);
  for (const auto& [name, gradient] : exact) {
    INFO(name);
    CHECK(mismatch(estimated.at(name), gradient, {0, 0.12}) == "");  // 0.12 is three standard deviations
  }
}

TEST_CASE("a projected query passes on how its attention is estimated", "[models][sparse]") {
  auto score = std::make_unique<nn::DotProductAttention>();
  score->set_normaliser(nn::normaliser::hard());
  const nn::ProjectedQuery attention(3, 4, std::move(score));
  CHECK(attention.estimator() == nn::Estimator::reinforce);
}

TEST_CASE("attention entropy is refused for drawn positions", "[models][sparse]") {
  for (const char* attention : drawn) {
    CHECK_ERROR(models::loss(*make(attention), batch, {.attention_entropy = 0.1}).total,
                "loss: attention_entropy has no gradient for a decoder that draws positions; set it to 0");
  }
}

TEST_CASE("a fused decoder leaves another normaliser to the attention", "[models][sparse]") {
  const Model model = make("additive");
  model->eval();
  auto& decoder = dynamic_cast<models::BahdanauDecoder&>(*model->decoder);
  auto& attention = dynamic_cast<nn::AdditiveAttention&>(*decoder.attention);
  CHECK(decoder.can_be_shared());
  attention.set_normaliser(nn::normaliser::top_k(1));
  CHECK_FALSE(decoder.can_be_shared());
  const double top_1 = models::loss(*model, batch).total.item();
  attention.set_normaliser(nn::normaliser::hard());  // in eval mode: all weight on the largest energy
  CHECK(std::abs(models::loss(*model, batch).total.item() - top_1) < 1e-6);
  attention.set_normaliser({});
  CHECK(decoder.can_be_shared());
  CHECK(std::abs(models::loss(*model, batch).total.item() - top_1) > 1e-5);
}
