// Generated speech: its symbols, its duration, and the contents of its frames.

#include <gradus/speech/spoken.hpp>

#include <algorithm>
#include <cmath>

#include "nn/helpers.hpp"

namespace data = gradus::data;
namespace speech = gradus::speech;
using gradus::Generator;
using gradus::Tensor;

namespace {

// The mean of frames [begin, end) of an utterance.
std::vector<double> mean_frame(const speech::Utterance& one, std::int64_t begin, std::int64_t end) {
  return mean(one.frames.slice(begin, end), 0).to_vector<double>();
}

double length_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double number : x) sum += number * number;
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("an utterance says its symbols and ends", "[speech]") {
  const speech::Spoken spoken;
  Generator generator(1);
  const auto one = spoken.say(Ids{3, 3, 0, 9}, 1, generator);
  CHECK(one.target == Ids{6, 6, 3, 12, data::eos});
  CHECK(speech::Spoken::text(one.target) == "3 3 0 9");
  CHECK(spoken.vocabulary_size() == 13);
  CHECK(one.frames.size(1) == 8);
  REQUIRE(one.begin.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(one.begin[i] < one.end[i]);
    CHECK(one.end[i] <= (i == 3 ? one.frames.size(0) : one.begin[i + 1] + 1));
  }
}

TEST_CASE("the same generator gives the same utterance, the same voice the same sounds", "[speech]") {
  const auto say = [](std::uint64_t voice, std::uint64_t seed, double noise) {
    Generator generator(seed);
    return speech::Spoken({.noise = noise, .voice = voice})
        .say(Ids{1, 2}, 0.7, generator)
        .frames.to_vector<double>();
  };
  CHECK(say(1, 1, 0.4) == say(1, 1, 0.4));
  CHECK(say(1, 1, 0.4) != say(1, 2, 0.4));
  CHECK(say(1, 1, 0) != say(2, 1, 0));
}

TEST_CASE("twice the speed takes half the frames", "[speech]") {
  const speech::Spoken spoken;
  double slow = 0, fast = 0;
  Generator generator(1), same(1);
  for (int i = 0; i < 50; ++i) {
    slow += static_cast<double>(spoken.say(Ids{1, 2, 3}, 0.5, generator).frames.size(0));
    fast += static_cast<double>(spoken.say(Ids{1, 2, 3}, 2, same).frames.size(0));
    same = generator;  // makes the generators equal again: their numbers of draws differ
  }
  CHECK(slow / fast == Catch::Approx(4).epsilon(0.02));
}

TEST_CASE("without noise, silence is zeros and a symbol is its voice's sounds", "[speech]") {
  const speech::Spoken spoken(
      {.sounds = 1, .shortest = 20, .longest = 20, .silence = 1, .longest_silence = 40, .noise = 0});
  Generator generator(3);
  const auto one = spoken.say(Ids{4, 4, 7}, 1, generator);
  const auto middle = [&](std::size_t i) {
    const std::int64_t centre = (one.begin[i] + one.end[i]) / 2;
    return mean_frame(one, centre - 3, centre + 3);
  };
  CHECK(mismatch(gradus::tensor(middle(0), {8}), gradus::tensor(middle(1), {8}), {1e-6, 1e-6}) == "");
  CHECK(mismatch(gradus::tensor(middle(0), {8}), gradus::tensor(middle(2), {8}), {1e-1, 0}) != "");
  // The sound of a symbol has eight elements from N(0, 1), multiplied by a loudness between 0.8 and 1.25. So
  // its norm is unlikely to be near 0.
  CHECK(length_of(middle(0)) > 0.5);
  for (std::size_t i = 0; i + 1 < 3; ++i) {
    if (one.begin[i + 1] - one.end[i] < 6) continue;
    const std::int64_t centre = (one.end[i] + one.begin[i + 1]) / 2;
    CHECK(length_of(mean_frame(one, centre, centre + 1)) == 0);
  }
}

TEST_CASE("the noise has its deviation", "[speech]") {
  const speech::Spoken spoken({.longest_silence = 1000, .noise = 0.5});
  Generator generator(1);
  const auto one = spoken.say(Ids{1}, 0.1, generator);
  const std::int64_t quiet = one.begin[0] - 20;
  REQUIRE(quiet > 500);
  CHECK(std::sqrt(variance(one.frames.slice(0, quiet)).item()) == Catch::Approx(0.5).epsilon(0.05));
}

TEST_CASE("samples stay in their range", "[speech]") {
  const speech::Spoken spoken({.symbols = 4});
  Generator generator(1);
  std::vector<std::size_t> lengths;
  std::int64_t largest = 0;
  for (int i = 0; i < 300; ++i) {
    const auto one = spoken.sample({.min_length = 2, .max_length = 4}, generator);
    lengths.push_back(one.target.size() - 1);
    largest = std::max(largest, std::ranges::max(one.target));
  }
  CHECK(std::ranges::min(lengths) == 2);
  CHECK(std::ranges::max(lengths) == 4);
  CHECK(largest == data::first_symbol + 3);
}

TEST_CASE("an uneven utterance has a speed per symbol, within the range", "[speech]") {
  const speech::Spoken spoken(
      {.shortest = 10, .longest = 10, .crossfade = 0, .silence = 0, .longest_silence = 0});
  const auto ratio =
      [&](bool uneven) {  // longest / shortest symbol, in frames; a symbol lasts 20 frames at speed 1
        Generator generator(1);
        const auto one = spoken.sample(
            {.min_length = 50, .max_length = 50, .min_speed = 0.5, .max_speed = 2, .uneven = uneven},
            generator);
        std::vector<std::int64_t> frames;
        for (std::size_t i = 0; i < one.begin.size(); ++i) frames.push_back(one.end[i] - one.begin[i]);
        const auto [shortest, longest] = std::ranges::minmax(frames);
        CHECK(shortest >= 9);
        CHECK(longest <= 41);
        return static_cast<double>(longest) / static_cast<double>(shortest);
      };
  CHECK(ratio(false) < 1.2);
  CHECK(ratio(true) > 3);
}

TEST_CASE("a batch of utterances is padded with zeros", "[speech]") {
  const speech::Spoken spoken;
  Generator generator(1);
  const std::vector<speech::Utterance> some{spoken.say(Ids{1, 2, 3}, 1, generator),
                                            spoken.say(Ids{4}, 2, generator)};
  const speech::FrameBatch batch = speech::make_batch(some);
  const std::int64_t T = some[0].frames.size(0), n = some[1].frames.size(0);
  REQUIRE(batch.frames.shape() == gradus::Shape{T, 2, 8});
  CHECK(batch.lengths.to_vector<std::int64_t>() == Ids{T, n});
  CHECK(mismatch(batch.frames.slice(0, 1, 1).reshape({T, 8}), some[0].frames) == "");
  CHECK(mismatch(batch.frames.slice(1, 2, 1).slice(0, n).reshape({n, 8}), some[1].frames) == "");
  CHECK(mismatch(only_padding(batch.frames, batch.lengths), batch.frames * 0.0) == "");
  CHECK(batch.targets.target_out == Ids{4, 7, 5, data::eos, 6, data::pad, data::eos, data::pad});
}

TEST_CASE("generated speech refuses options and symbols out of range", "[speech]") {
  CHECK_ERROR(speech::Spoken({.symbols = 1}),
              "Spoken: the number of symbols must be from 2 to 1000, and is 1");
  CHECK_ERROR(speech::Spoken({.size = 0}), "Spoken: the size of a frame must be from 1 to 1000, and is 0");
  CHECK_ERROR(speech::Spoken({.shortest = 5, .longest = 4}),
              "Spoken: the longest sound must be from 5 to 1000, and is 4");
  CHECK_ERROR(speech::Spoken({.crossfade = 7}), "Spoken: the crossfade must be from 0 to 6, and is 7");
  CHECK_ERROR(speech::Spoken({.silence = 2}),
              "Spoken: the probability of silence must be from 0 to 1, and is 2");
  CHECK_ERROR(speech::Spoken({.noise = -1}), "Spoken: the noise must be from 0 to 1000, and is -1");
  const speech::Spoken spoken;
  Generator generator(1);
  CHECK_ERROR(spoken.say(Ids{}, 1, generator), "Spoken: no symbols; give at least one");
  CHECK_ERROR(spoken.say(Ids{10}, 1, generator), "Spoken: a symbol must be from 0 to 9, and is 10");
  CHECK_ERROR(spoken.say(Ids{1}, 11, generator), "Spoken: the speed must be from 0.1 to 10, and is 11");
  CHECK_ERROR(spoken.sample({.min_length = 3, .max_length = 2}, generator),
              "Spoken: the longest length must be from 3 to 1000, and is 2");
  CHECK_ERROR(spoken.sample({.min_speed = 2, .max_speed = 1}, generator),
              "Spoken: the highest speed must be from 2 to 10, and is 1");
  CHECK_ERROR(spoken.sample({.min_speed = -1, .max_speed = 1, .uneven = true}, generator),
              "Spoken: the lowest speed must be from 0.1 to 10, and is -1");
}

TEST_CASE("a batch refuses frames that do not fit", "[speech]") {
  const std::vector<std::int64_t> target{3, data::eos};
  CHECK_ERROR(speech::make_batch({}), "speech::make_batch: no utterances; give at least one");
  const std::vector<speech::Utterance> some{{gradus::zeros({4, 3}), target}, {gradus::zeros({4, 2}), target}};
  CHECK_ERROR(speech::make_batch(some),
              "speech::make_batch: the frames of utterance 1 are (4, 2) in f32 and must be (T, 3) in f32, "
              "with T of at least 1");
  const std::vector<speech::Utterance> flat{{gradus::zeros({4}), target}};
  CHECK_ERROR(speech::make_batch(flat),
              "speech::make_batch: the frames of utterance 0 are (4) in f32 and must be (T, 0) in f32, with "
              "T of at least 1");
}
