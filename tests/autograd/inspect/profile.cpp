// Profile: calls, time and memory of each operation.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/profile.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "autograd/helpers.hpp"

using gradus::ones;
using gradus::Profile;
using gradus::Tensor;

namespace {

std::map<std::string, Profile::Row> by_name(const Profile& profile) {
  std::map<std::string, Profile::Row> rows;
  for (const Profile::Row& row : profile.rows()) rows[row.operation] = row;
  return rows;
}

// An operation whose backward function takes at least the time `backward`.
Tensor slow(const Tensor& x, std::chrono::milliseconds backward) {
  return record("slow", x.clone(), {x}, {}, [=](gradus::Gradients& g) {
    std::this_thread::sleep_for(backward);
    g.add(0, g.out());
  });
}

}  // namespace

TEST_CASE("a profile counts forward and backward calls and the memory they allocate", "[autograd][profile]") {
  const Tensor x = leaf(ones({10, 10}));
  const Profile profile;
  const Tensor y = matmul(x, x);
  sum(tanh(y) + tanh(x)).backward();
  auto rows = by_name(profile);
  CHECK(rows["tanh"].calls == 2);
  CHECK(rows["tanh"].backward_calls == 2);
  CHECK(rows["matmul"].calls == 1);
  CHECK(rows["matmul"].backward_calls == 1);
  CHECK(rows["tanh"].bytes >= 2 * 2 * 400);  // two results and two gradients
  CHECK(rows["tanh"].forward_seconds > 0);
  CHECK(rows["tanh"].backward_seconds > 0);
  CHECK(rows.count("backward") == 0);  // the time of a backward function is in its operation's row
}

TEST_CASE("operations that are not recorded are counted too", "[autograd][profile]") {
  const Profile profile;
  argmax(ones({3, 4}));
  greater(ones({3}), ones({3}));
  auto rows = by_name(profile);
  CHECK(rows["argmax"].calls == 1);
  CHECK(rows["argmax"].backward_calls == 0);
  CHECK(rows["greater"].calls == 1);
}

TEST_CASE("the table lists the most expensive operations first", "[autograd][profile]") {
  const Tensor x = leaf(ones({3}));
  Profile profile;
  sum(slow(x, std::chrono::milliseconds(20)) * 2.0).backward();
  // An interruption can make any operation the slowest. So the test expects the order of the measured times.
  const std::vector<Profile::Row> rows = profile.rows();
  CHECK(by_name(profile)["slow"].backward_seconds >= 0.02);
  CHECK(std::ranges::is_sorted(rows, std::greater(), [](const Profile::Row& row) {
    return row.forward_seconds + row.backward_seconds;
  }));
  const std::string table = printed(profile);
  CHECK(table.substr(0, table.find('\n')) ==
        "operation               calls   forward ms  backward ms    time    memory");
  for (std::size_t i = 1; i < rows.size(); ++i) {
    CHECK(table.find("\n" + rows[i - 1].operation + " ") < table.find("\n" + rows[i].operation + " "));
  }
  CHECK(table.find('%') != std::string::npos);
}

TEST_CASE("a profile ends with its scope, and an inner one is added to the outer", "[autograd][profile]") {
  Profile outer;
  exp(ones({3}));
  {
    Profile inner;
    exp(ones({3}));
    exp(ones({3}));
    CHECK(by_name(inner)["exp"].calls == 2);
    CHECK(by_name(outer)["exp"].calls == 1);
  }
  CHECK(by_name(outer)["exp"].calls == 3);
  CHECK(by_name(outer)["full"].calls == 3);
  std::thread([] { exp(ones({3})); }).join();
  CHECK(by_name(outer)["exp"].calls == 3);  // only the calls of the profiled thread
}

TEST_CASE("an operation that throws is counted and does not disturb the profile", "[autograd][profile]") {
  Profile profile;
  CHECK_THROWS(exp(gradus::arange(3)));
  exp(ones({3}));
  CHECK(by_name(profile)["exp"].calls == 2);
  CHECK(printed(Profile()).find('\n') == printed(Profile()).size() - 1);  // an empty table has one line
}
