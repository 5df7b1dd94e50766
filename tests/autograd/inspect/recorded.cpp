// recorded(): the tape as a list.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recorded.hpp>

#include <vector>

#include "autograd/helpers.hpp"

using gradus::recorded;
using gradus::Recorded;
using gradus::Scope;
using gradus::Tensor;
using gradus::tensor;

TEST_CASE("inputs come before results, and the root is last", "[autograd][recorded]") {
  const Tensor x = leaf(tensor({1.0, 2.0})), w = leaf(tensor({3.0, 4.0}));
  const Tensor y = [&] {
    const Scope scope("decoder");
    return x * w;
  }();
  const std::vector<Recorded> nodes = recorded("test", sum(y), {{"w", w}});
  REQUIRE(nodes.size() == 4);
  CHECK((nodes[0].is_leaf && nodes[0].name.empty() && nodes[0].values == "[1, 2]"));
  CHECK((nodes[1].is_leaf && nodes[1].name == "w"));
  CHECK(std::string(nodes[2].operation) == "mul");
  CHECK(nodes[2].inputs == std::vector<std::size_t>{0, 1});
  CHECK(nodes[2].scope->text() == "decoder");
  CHECK(std::string(nodes[3].operation) == "sum");
  CHECK(nodes[3].inputs == std::vector<std::size_t>{2});
  CHECK(nodes[3].shape.rank() == 0);
}

TEST_CASE("an input that is used twice is listed twice, and a constant not at all", "[autograd][recorded]") {
  const Tensor x = leaf(tensor({1.0}));
  const std::vector<Recorded> nodes = recorded("test", x * x * tensor({2.0}));
  REQUIRE(nodes.size() == 3);
  CHECK(nodes[1].inputs == std::vector<std::size_t>{0, 0});
  CHECK(nodes[2].inputs == std::vector<std::size_t>{1});
}

TEST_CASE("the largest element of any axes is one operation on the tape", "[autograd][recorded]") {
  const Tensor x = leaf(tensor({{1.0, 2.0}, {3.0, 4.0}}));
  for (const Tensor& y : {max(x), max(x, {0}), max(x, {1}, true), logsumexp(x, {0})}) {
    CHECK(recorded("test", y).size() == 2);
  }
}

TEST_CASE("a tape that was not recorded or was freed is refused", "[autograd][recorded]") {
  CHECK_ERROR(recorded("test", tensor({1.0})),
              "test: this tensor (1) was not recorded: no input has requires_grad, or NoGrad is on");
  const Tensor y = sum(exp(leaf(tensor({1.0}))));
  y.backward();
  CHECK_ERROR(recorded("test", y),
              "test: the tape of 'sum' () was freed by an earlier backward(); read the tape before "
              "backward(), or call it with "
              "retain_graph = true");
}
