// The mean of several states of a model.

#include <gradus/models/average.hpp>

#include "models/helpers.hpp"

namespace models = gradus::models;
using gradus::NamedTensors;
using States = std::vector<NamedTensors>;

TEST_CASE("average() is the mean of every element, and keeps the last integers", "[models][average]") {
  const States states = {
      {{"w", gradus::tensor({{1, 2}, {3, 4}})}, {"n", integers({1, 2})}},
      {{"w", gradus::tensor({{5, 2}, {0, 4}})}, {"n", integers({3, 4})}},
      {{"w", gradus::tensor({{3, 2}, {6, 1}})}, {"n", integers({5, 6})}},
  };
  const NamedTensors mean = models::average(states);
  REQUIRE(mean.size() == 2);
  CHECK(mean[0].first == "w");
  CHECK(mismatch(mean[0].second, gradus::tensor({{3, 2}, {3, 3}})) == "");
  CHECK(mean[1].first == "n");
  CHECK(mean[1].second.to_vector<std::int64_t>() == Ids{5, 6});
}

TEST_CASE("average() of one state is that state, bit for bit", "[models][average]") {
  for (const Model& model : tiny_models()) {
    const States one{model->state_dict()};
    const NamedTensors mean = models::average(one);
    REQUIRE(mean.size() == one[0].size());
    for (std::size_t i = 0; i < mean.size(); ++i) {
      CHECK(mean[i].first == one[0][i].first);
      CHECK(mean[i].second.to_vector<float>() == one[0][i].second.to_vector<float>());
      CHECK_FALSE(mean[i].second.is(one[0][i].second));
    }
  }
}

TEST_CASE("average() sums in double precision", "[models][average]") {
  const States states(3, {{"w", gradus::tensor({0.1, 16777217.0})}});
  const NamedTensors mean = models::average(states);
  CHECK(mean[0].second.dtype() == states[0][0].second.dtype());
  CHECK(mean[0].second.to_vector<float>() == states[0][0].second.to_vector<float>());
}

TEST_CASE("average() refuses no states, and states of different models", "[models][average]") {
  const NamedTensors w{{"w", gradus::tensor({1, 2})}};
  CHECK_ERROR(models::average({}), "average: needs at least one state, and got none");
  CHECK_ERROR(models::average(States{w, {}}),
              "average: state 0 has 1 tensors, but state 1 has 0; give states of one model");
  CHECK_ERROR(models::average(States{w, w, {{"v", gradus::tensor({1, 2})}}}),
              "average: state 0 has 'w' (2), but state 2 has 'v' (2); give states of one model");
  CHECK_ERROR(models::average(States{w, {{"w", gradus::tensor({1, 2, 3})}}}),
              "average: state 0 has 'w' (2), but state 1 has 'w' (3); give states of one model");
}
