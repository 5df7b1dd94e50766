#include <gradus/data/attention_entropy.hpp>
#include <gradus/error.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using gradus::data::AttentionEntropy;

TEST_CASE("entropy is 0 for one position and ln Tx for uniform weights", "[data][metrics]") {
  AttentionEntropy entropy;
  CHECK(std::isnan(entropy.nats()));
  CHECK(std::isnan(entropy.normalised()));

  entropy.add(std::vector<double>{0, 1, 0});
  CHECK(entropy.nats() == 0);
  CHECK(entropy.normalised() == 0);

  AttentionEntropy alike;
  alike.add(std::vector<float>(4, 0.25F));
  CHECK(alike.nats() == Catch::Approx(std::log(4)));
  CHECK(alike.normalised() == Catch::Approx(1));

  entropy += alike;
  entropy.add(std::vector<double>{0, 0, 0, 0.5, 0, 0, 0.5, 0});
  entropy.add(std::vector<double>{1});
  CHECK(entropy.rows == 4);
  CHECK(entropy.nats() == Catch::Approx(std::log(8) / 4));
  CHECK(entropy.normalised() == Catch::Approx((1 + 1. / 3) / 4));
}

TEST_CASE("an invalid row of weights is refused", "[data][metrics]") {
  AttentionEntropy entropy;
  CHECK_THROWS_MATCHES(entropy.add(std::vector<double>{}), Error,
                       Message("AttentionEntropy::add: the row is empty; give it at least one weight"));
  CHECK_THROWS_MATCHES(entropy.add(std::vector<double>{0.5, -0.5}), Error,
                       Message("AttentionEntropy::add: the weight at position 1 is -0.5, but must not be "
                               "negative; give weights, not scores"));
  CHECK_THROWS_MATCHES(
      entropy.add(std::vector<float>{std::numeric_limits<float>::quiet_NaN()}), Error,
      Message("AttentionEntropy::add: the weight at position 0 is NaN; check the model for where it arises"));
  CHECK(entropy.rows == 0);
}
