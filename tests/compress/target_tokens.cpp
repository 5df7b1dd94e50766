// Models with fewer target tokens.

#include <gradus/compress/target_tokens.hpp>
#include <gradus/models/model.hpp>

#include <vector>

#include "models/helpers.hpp"

namespace compress = gradus::compress;
namespace models = gradus::models;
using gradus::Tensor;
using models::Tied;

namespace {

constexpr models::Vocabularies sizes{.source = 9, .target = 8};

std::unique_ptr<models::Seq2Seq> make(const models::ModelOptions& options,
                                      models::Vocabularies vocabularies = sizes) {
  auto model = models::make_model(options, vocabularies);
  model->eval();
  return model;
}

Tensor logits(const models::Seq2Seq& model) {
  const Tensor source = gradus::tensor({{5, 6}, {8, 4}, {3, 7}}, gradus::Dtype::i64),
               target = gradus::tensor({{1, 1}, {4, 5}, {5, 3}}, gradus::Dtype::i64);
  return model.forward(source, integers({3, 2}), target).logits;
}

}  // namespace

TEST_CASE("a model of fewer target tokens has the same logits for them", "[compress]") {
  for (const char* decoder : {"bahdanau", "cho", "fixed"}) {
    for (const Tied tied : {Tied::none, Tied::output}) {
      CAPTURE(decoder, tied == Tied::none);
      models::ModelOptions options{
          .decoder = decoder, .embedding = 5, .hidden = 6, .energy = 3, .tied = tied};
      gradus::seed(4);
      const auto model = make(options);
      const auto smaller = make(options, {.source = 9, .target = 6});
      smaller->load_state_dict(compress::keep_target_tokens(*model, 6));
      const Tensor few = logits(*smaller);
      CHECK(few.size(2) == 6);
      CHECK(difference(few, logits(*model).slice(0, 6, 2), 1e-6) == "");
    }
  }
}

TEST_CASE("fewer target tokens need a model and a number that fit", "[compress]") {
  const auto model = make({.embedding = 5, .hidden = 6, .energy = 3});
  for (const std::int64_t tokens : {4, 9}) {
    CHECK_ERROR(compress::keep_target_tokens(*model, tokens),
                "keep_target_tokens: the number of target tokens must be from 5 to 8, the model's, and is " +
                    std::to_string(tokens));
  }
  CHECK(compress::keep_target_tokens(*model, 8).size() == model->state_dict().size());
  const auto shared =
      make({.embedding = 5, .hidden = 6, .energy = 3, .tied = Tied::all}, {.source = 8, .target = 8});
  CHECK_ERROR(
      compress::keep_target_tokens(*shared, 6),
      "keep_target_tokens: the encoder shares the decoder's embedding, so its tokens are needed, too; "
      "give a model without --tied all");
}
