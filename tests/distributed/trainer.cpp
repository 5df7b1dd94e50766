// Training by several processes, which are threads in these tests, and by shards.

#include <gradus/distributed/processes.hpp>
#include <gradus/distributed/threads.hpp>
#include <gradus/models/trainer.hpp>

#include <atomic>
#include <mutex>
#include <string>

#include "models/sharded.hpp"

namespace distributed = gradus::distributed;
namespace models = gradus::models;
using distributed::Communicator;

namespace {

class OnOneHost : public Communicator {
 public:
  explicit OnOneHost(Communicator& inner) : inner_(inner) {}
  std::int64_t rank() const override { return inner_.rank(); }
  std::int64_t size() const override { return inner_.size(); }
  bool has_network() const override { return false; }
  void exchange(std::int64_t peer, std::span<const std::byte> out, std::span<std::byte> in) override {
    inner_.exchange(peer, out, in);
  }

 private:
  Communicator& inner_;
};

// Trains in P processes. All processes must have the same result, which is returned.
Result train_by(std::int64_t P, const models::TrainerOptions& options, bool on_one_host = false) {
  std::vector<Result> results(static_cast<std::size_t>(P));
  distributed::run_as_threads(P, [&](Communicator& self) {
    OnOneHost here(self);
    distributed::SumTimes times;
    const models::Processes processes = distributed::processes_of(on_one_host ? here : self, &times);
    results[static_cast<std::size_t>(self.rank())] = train(options, processes);
    if (P > 1 && !(times.summing > 0 && times.waiting > 0)) gradus::fail("test", "no times were measured");
  });
  for (const Result& result : results) CHECK(result == results.front());
  return results.front();
}

}  // namespace

TEST_CASE("1, 2, 4 and 8 processes give the same weights bit for bit", "[distributed][trainer]") {
  const Result alone = train(sharded(8));
  for (const std::int64_t P : {1, 2, 4, 8}) {
    INFO(P << " processes");
    CHECK(train_by(P, sharded(8)) == alone);
  }
  CHECK(train_by(4, sharded(8), true) == alone);
}

TEST_CASE("gradients in bf16 do not depend on the number of processes either", "[distributed][trainer]") {
  models::TrainerOptions options = sharded(8);
  const Result exact = train(options);
  options.bf16_gradients = true;
  const Result alone = train(options);
  CHECK(largest_difference(alone, exact) > 0);
  CHECK(std::abs(alone.numbers[0] - exact.numbers[0]) < 1e-12);     // 0: the loss before any update
  CHECK(std::abs(alone.numbers[2] / exact.numbers[2] - 1) < 0.02);  // 2: the first gradient's norm
  for (const std::int64_t P : {2, 8}) {
    INFO(P << " processes");
    CHECK(train_by(P, options) == alone);
  }
}

TEST_CASE("more shards than sequences leave some processes without a sequence", "[distributed][trainer]") {
  const Result alone = train(sharded(16));  // a batch has 8 pairs, so 8 shards are empty
  CHECK(train_by(16, sharded(16)) == alone);
  CHECK(largest_difference(alone, train(sharded(8))) == 0);  // empty shards only add zeros
}

TEST_CASE("a resumed run may have another number of processes", "[distributed][trainer]") {
  const auto train_in_parts = [](std::int64_t before, std::int64_t after) {
    gradus::NamedTensors state;
    std::vector<std::vector<float>> weights;
    const auto part = [&](std::int64_t P, std::int64_t until) {
      std::mutex mutex;
      distributed::run_as_threads(P, [&](Communicator& self) {
        gradus::seed(7);
        const Model model = forgetful_model(0.3, 24);
        auto next = std::make_shared<std::function<gradus::data::Batch()>>(reversals(3));
        std::int64_t taken = 0;
        models::BatchStream stream{.next =
                                       [&] {
                                         ++taken;
                                         return (*next)();
                                       },
                                   .state = [&] { return std::vector{taken}; },
                                   .set_state =
                                       [&](const std::vector<std::int64_t>& place) {
                                         *next = reversals(3);
                                         for (taken = 0; taken < place[0]; ++taken) (*next)();
                                       }};
        models::Trainer trainer(*model, stream, sharded(4), distributed::processes_of(self));
        if (!state.empty()) {
          const std::lock_guard lock(mutex);
          trainer.load_state(state);
        }
        while (trainer.steps() < until) trainer.step();
        distributed::broadcast(self, 0);  // a barrier: all processes have loaded the state
        if (self.rank() != 0) return;
        state = trainer.state();
        weights.clear();
        for (const auto& [name, tensor] : model->state_dict()) weights.push_back(tensor.to_vector<float>());
      });
    };
    part(before, 2);
    part(after, 4);
    return weights;
  };
  const auto whole = train_in_parts(1, 1);
  CHECK(train_in_parts(4, 2) == whole);
  CHECK(train_in_parts(2, 4) == whole);
  CHECK(train_in_parts(1, 4) == whole);
}

TEST_CASE("sums over processes begin while the backward pass computes other gradients",
          "[distributed][trainer]") {
  gradus::seed(7);
  const Model model = forgetful_model(0, 300);  // its weights fill more than one bucket
  int started = 0, before_the_last_gradient = 0;
  bool finished = false;
  const models::Processes processes{.rank = 0,
                                    .count = 2,
                                    .start_sum =
                                        [&](const std::vector<gradus::Tensor>&, bool) {
                                          CHECK_FALSE(finished);
                                          ++started;
                                        },
                                    .finish_sums = [&] { finished = true; }};
  gradus::Tensor last = model->parameters().front();  // the source embedding, whose gradient is ready last
  last.add_hook([&](const gradus::Tensor&) {
    before_the_last_gradient = started;
    return gradus::Tensor();
  });
  models::TrainerOptions options = sharded(8);
  options.accumulate = 1;
  models::Trainer trainer(*model, {.next = reversals(3)}, options, processes);
  trainer.step();
  CHECK(before_the_last_gradient > 1);
  CHECK(started > before_the_last_gradient);
  CHECK(finished);
}

TEST_CASE("a process that fails during its backward pass does not leave the others waiting",
          "[distributed][trainer]") {
  std::vector<std::string> errors(2);
  std::atomic<std::int64_t> steps = 0;
  distributed::run_as_threads(2, [&](Communicator& self) {
    gradus::seed(7);
    const Model model = forgetful_model(0, 300);
    models::TrainerOptions options = sharded(2);
    options.accumulate = 1;
    models::Trainer trainer(*model, {.next = reversals(3)}, options, distributed::processes_of(self));
    gradus::Tensor last = model->parameters().front();
    last.add_hook([&](const gradus::Tensor&) {
      if (self.rank() == 1 && trainer.steps() == 1) gradus::fail("hook", "out of luck");
      return gradus::Tensor();
    });
    try {
      while (!trainer.finished()) trainer.step();
    } catch (const gradus::Error& error) {
      errors[static_cast<std::size_t>(self.rank())] = error.what();
    }
    steps += trainer.steps();
  });
  CHECK(steps == 2);  // one step in each of the two processes
  CHECK(errors[0] == "Trainer: another process failed at step 2");
  CHECK(errors[1].find("hook: out of luck") != std::string::npos);
}
