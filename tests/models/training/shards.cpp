// Training by shards in one process. tests/distributed tests several processes.

#include "models/sharded.hpp"

namespace models = gradus::models;
using models::TrainerOptions;

TEST_CASE("shards have the gradient of the whole batch, up to rounding", "[distributed][trainer]") {
  TrainerOptions sgd = sharded(1);
  sgd.optimiser = "sgd";
  const auto with_shards = [&](std::int64_t shards, double dropout) {
    sgd.shards = shards;
    return train(sgd, {}, dropout);
  };
  // No sampling and no dropout, so that runs differ only in the number of shards.
  sgd.loss.sampling = 0;
  const Result whole = with_shards(1, 0);
  for (const std::int64_t shards : {2, 4, 8}) {
    const Result cut = with_shards(shards, 0);
    CHECK(largest_difference(cut, whole) < 1e-6);
    CHECK(std::abs(cut.numbers[0] - whole.numbers[0]) < 1e-6);
  }
  // With sampling and dropout, random draws must depend on the batch and the sequence, not on the shard.
  sgd.loss.sampling = 0.6;
  const Result two = with_shards(2, 0.3);
  CHECK(largest_difference(two, whole) > 1e-4);
  for (const std::int64_t shards : {4, 8}) CHECK(largest_difference(with_shards(shards, 0.3), two) < 1e-6);
}

namespace {

// No step uses the parameter `idle`.
class WithIdle : public ForgetfulDecoder {
 public:
  using ForgetfulDecoder::ForgetfulDecoder;
  gradus::Tensor idle = add_parameter("idle", gradus::ones({2}));
};

}  // namespace

TEST_CASE("frozen parameters and those without a gradient stay without", "[distributed][trainer]") {
  const auto gradients = [](std::int64_t shards) {
    gradus::seed(7);
    const Model model = forgetful_model<WithIdle>(0, 24);
    gradus::Tensor frozen = model->parameters().front();
    frozen.set_requires_grad(false);
    models::Trainer trainer(*model, {.next = reversals(3)}, sharded(shards));
    trainer.step();
    std::vector<bool> defined;
    for (const gradus::Tensor& parameter : model->parameters()) defined.push_back(parameter.grad().defined());
    CHECK_FALSE(defined.front());
    CHECK(std::ranges::count(defined, false) == 2);  // also `idle`
    return defined;
  };
  CHECK(gradients(4) == gradients(1));
}

TEST_CASE("shards and processes that do not fit are refused", "[distributed][trainer]") {
  const auto refusal = [](std::int64_t shards, models::Processes processes) -> std::string {
    try {
      train(sharded(shards), std::move(processes));
    } catch (const gradus::Error& error) {
      return error.what();
    }
    return "no error";
  };
  const auto no_sum = [](const std::vector<gradus::Tensor>&, bool) {};
  const auto nothing = [] {};
  CHECK(refusal(3, {}) == "Trainer: the number of shards must be a power of two, and is 3");
  CHECK(refusal(0, {}) == "Trainer: the number of shards must be a power of two, and is 0");
  CHECK(
      refusal(1, {.rank = 0, .count = 2, .start_sum = no_sum, .finish_sums = nothing}) ==
      "Trainer: 1 shard cannot be divided evenly among 2 processes; set `shards` to a power of two that is a "
      "multiple of the number of processes");
  CHECK(refusal(8, {.rank = 0, .count = 3, .start_sum = no_sum, .finish_sums = nothing})
            .find("8 shards cannot be divided evenly among 3") != std::string::npos);
  CHECK(refusal(2, {.rank = 2, .count = 2, .start_sum = no_sum, .finish_sums = nothing}) ==
        "Trainer: there is no process 2 among 2");
  CHECK(refusal(2, {.rank = 0, .count = 2, .start_sum = no_sum}) ==
        "Trainer: several processes need Processes::start_sum and finish_sums; set both");
}
