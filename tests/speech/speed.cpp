// Speech at a different speed, by leaving out or repeating frames.

#include <gradus/speech/speed.hpp>
#include <gradus/speech/spoken.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "nn/helpers.hpp"

namespace data = gradus::data;
namespace speech = gradus::speech;
using gradus::Generator;

namespace {

// Frames of two numbers.
gradus::Tensor rows(const std::vector<float>& values) {
  return gradus::tensor(values, {std::ssize(values) / 2, 2});
}

}  // namespace

TEST_CASE("frames are left out or repeated evenly", "[speech]") {
  CHECK(speech::frames_at_speed(6, 1) == Ids{0, 1, 2, 3, 4, 5});
  CHECK(speech::frames_at_speed(6, 2) == Ids{1, 3, 5});
  CHECK(speech::frames_at_speed(3, 0.5) == Ids{0, 0, 1, 1, 2, 2});
  CHECK(speech::frames_at_speed(5, 1.5) == Ids{0, 2, 4});
  CHECK(speech::frames_at_speed(1, 10) == Ids{0});
  for (const double speed : {0.1, 0.37, 0.9, 1.1, 1.9, 10.0}) {
    const auto heard = speech::frames_at_speed(100, speed);
    CHECK(std::ranges::is_sorted(heard));
    CHECK(heard.front() >= 0);
    CHECK(heard.back() < 100);
    CHECK(std::abs(static_cast<double>(heard.size()) - 100 / speed) <= 0.5);
  }
}

TEST_CASE("an utterance at another speed has the frames of the original", "[speech]") {
  const speech::Utterance utterance{.frames = rows({0, 1, 10, 11, 20, 21, 30, 31, 40, 41, 50, 51}),
                                    .target = {5, 6, 7, data::eos},
                                    .begin = {0, 2, 3},
                                    .end = {2, 3, 6}};
  const speech::Utterance fast = speech::at_speed(utterance, 2);
  CHECK(mismatch(fast.frames, rows({10, 11, 30, 31, 50, 51})) == "");
  CHECK(fast.target == utterance.target);
  CHECK(fast.begin == Ids{0, 1, 1});  // the second token's only frame is left out
  CHECK(fast.end == Ids{1, 1, 3});
  const speech::Utterance same = speech::at_speed(utterance, 1);
  CHECK(mismatch(same.frames, utterance.frames) == "");
  CHECK(same.begin == utterance.begin);
  CHECK(same.end == utterance.end);
}

TEST_CASE("each source of a batch has its own random speed", "[speech]") {
  std::vector<data::Pair> pairs;
  for (std::int64_t length : {60, 20, 40}) {
    std::vector<std::int64_t> ids(static_cast<std::size_t>(length));
    std::iota(ids.begin(), ids.end(), data::first_symbol + 1000 * std::ssize(pairs));
    pairs.push_back({ids, {7, data::eos}});
  }
  const data::Batch batch = data::make_batch(pairs);
  Generator generator(1);
  std::set<std::int64_t> lengths;
  for (int draw = 0; draw < 50; ++draw) {
    const data::Batch heard = speech::at_random_speeds(batch, {.min = 0.5, .max = 2}, generator);
    CHECK(heard.target_in == batch.target_in);
    CHECK(heard.target_lengths == batch.target_lengths);
    CHECK(heard.source_steps == *std::ranges::max_element(heard.source_lengths));
    REQUIRE(std::ssize(heard.source) == heard.source_steps * 3);
    for (std::int64_t b = 0; b < 3; ++b) {
      const std::int64_t length = heard.source_lengths[static_cast<std::size_t>(b)],
                         original = batch.source_lengths[static_cast<std::size_t>(b)];
      CHECK((original / 2 <= length && length <= 2 * original));
      if (b == 0) lengths.insert(length);
      for (std::int64_t t = 0; t < heard.source_steps; ++t) {
        const std::int64_t id = heard.source[static_cast<std::size_t>(t * 3 + b)];
        CHECK((t < length) == (id != data::pad));
        if (t < length) CHECK((id - data::first_symbol) / 1000 == b);
      }
    }
  }
  CHECK(lengths.size() > 20);
  const data::Batch same = speech::at_random_speeds(batch, {}, generator);
  CHECK(same.source == batch.source);
  CHECK(same.source_lengths == batch.source_lengths);
}

TEST_CASE("a speed out of range is refused", "[speech]") {
  CHECK_ERROR(speech::frames_at_speed(0, 1),
              "frames_at_speed: there must be at least one frame, and there are 0");
  CHECK_ERROR(speech::frames_at_speed(5, 0.01),
              "frames_at_speed: the speed must be from 0.1 to 10, and is 0.01");
  CHECK_ERROR(speech::frames_at_speed(5, std::nan("")),
              "frames_at_speed: the speed must be from 0.1 to 10, and is nan");
  CHECK_ERROR(speech::at_speed({}, 1), "at_speed: the frames must be (T, D) in f32");
  Generator generator(1);
  const auto random = [&](double min, double max) {
    return speech::at_random_speeds({}, {.min = min, .max = max}, generator);
  };
  CHECK_ERROR(random(2, 1), "at_random_speeds: needs 0.1 ≤ min ≤ max ≤ 10, and got min 2 and max 1");
  CHECK_ERROR(random(0.05, 1), "at_random_speeds: needs 0.1 ≤ min ≤ max ≤ 10, and got min 0.05 and max 1");
  CHECK_ERROR(random(1, 11), "at_random_speeds: needs 0.1 ≤ min ≤ max ≤ 10, and got min 1 and max 11");
}
