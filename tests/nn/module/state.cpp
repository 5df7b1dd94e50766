// A decoder's state between two steps.

#include <gradus/nn/decoder_step.hpp>

#include "nn/helpers.hpp"

using gradus::Tensor;
using gradus::tensor;
using gradus::nn::State;

namespace {

const State state(
    {{"s", tensor({{1, 2}, {3, 4}, {5, 6}})}, {"weights", Tensor()}, {"ids", integers({7, 8, 9})}}, 4);

}  // namespace

TEST_CASE("a state returns its tensors by name, in order, and counts steps", "[nn][state]") {
  CHECK(state["s"].shape() == gradus::Shape{3, 2});
  CHECK_FALSE(state["weights"].defined());
  CHECK(state.tensors().size() == 3);
  CHECK(state.tensors()[2].first == "ids");
  CHECK(state.step() == 4);
  CHECK(State().step() == 0);
}

TEST_CASE("find() returns an undefined tensor for an unknown name", "[nn][state]") {
  CHECK(state.find("s").is(state["s"]));
  CHECK_FALSE(state.find("c").defined());
}

TEST_CASE("an unknown name is an error that lists the available names", "[nn][state]") {
  CHECK_ERROR(state["c"], "State: unknown entry 'c' of this state; available: 's', 'weights', 'ids'");
  CHECK_ERROR(State()["c"], "State: unknown entry 'c' of this state; available: none");
}

TEST_CASE("select() takes rows of every tensor, repeated and reordered", "[nn][state]") {
  const State chosen = state.select(integers({2, 0, 2, 1}));
  CHECK(mismatch(chosen["s"], tensor({{5, 6}, {1, 2}, {5, 6}, {3, 4}})) == "");
  CHECK(chosen["ids"].to_vector<std::int64_t>() == Ids{9, 7, 9, 8});
  CHECK_FALSE(chosen["weights"].defined());
  CHECK(chosen.step() == 4);
  CHECK(state["s"].size(0) == 3);
}

TEST_CASE("select() refuses a row outside the batch", "[nn][state]") {
  CHECK_ERROR(state.select(integers({3})),
              "index_select: index 3 at position 0 of (1) is outside [0, 3), the rows of (3, 2)");
}
