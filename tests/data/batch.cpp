#include <gradus/data/batch.hpp>
#include <gradus/error.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using gradus::data::Batch;
using gradus::data::make_batch;
using gradus::data::Pair;

using Ids = std::vector<std::int64_t>;
using Pairs = std::vector<Pair>;

TEST_CASE("a batch is time-major and padded, with BOS before the target input", "[data][batch]") {
  const Pairs pairs = {{{3, 4, 5}, {5, 4, 3, 2}}, {{6, 7}, {7, 6, 2}}};
  const Batch batch = make_batch(pairs);

  CHECK(batch.size == 2);
  CHECK(batch.source_steps == 3);
  CHECK(batch.target_steps == 4);
  // clang-format off
  CHECK(batch.source == Ids{3, 6,
                            4, 7,
                            5, 0});
  CHECK(batch.target_in == Ids{1, 1,
                               5, 7,
                               4, 6,
                               3, 0});
  CHECK(batch.target_out == Ids{5, 7,
                                4, 6,
                                3, 2,
                                2, 0});
  // clang-format on
  CHECK(batch.source_lengths == Ids{3, 2});
  CHECK(batch.target_lengths == Ids{4, 3});
  CHECK(batch.target_tokens() == 7);
}

TEST_CASE("the longest source and the longest target may belong to different pairs", "[data][batch]") {
  const Pairs pairs = {{{3}, {4, 5, 8, 2}}, {{6, 7}, {2}}};
  const Batch batch = make_batch(pairs);

  CHECK(batch.source == Ids{3, 6, 0, 7});
  CHECK(batch.target_in == Ids{1, 1, 4, 0, 5, 0, 8, 0});
  CHECK(batch.target_out == Ids{4, 2, 5, 0, 8, 0, 2, 0});
  CHECK(batch.target_tokens() == 5);
}

TEST_CASE("a batch of one pair has no padding", "[data][batch]") {
  const Pairs pairs = {{{8, 9}, {9, 8, 2}}};
  const Batch batch = make_batch(pairs);

  CHECK(batch.source == Ids{8, 9});
  CHECK(batch.target_in == Ids{1, 9, 8});
  CHECK(batch.target_out == Ids{9, 8, 2});
}

TEST_CASE("an error names the malformed pair", "[data][batch]") {
  const Pair good = {{3}, {3, 2}};
  const auto batch_with = [&](const Pair& bad) { return make_batch(Pairs{good, good, bad}); };
  const std::string advice =
      ", but ordinary tokens start at 3; omit PAD (0) and BOS (1), and put EOS (2) only at the target's end";

  CHECK_THROWS_MATCHES(make_batch({}), Error, Message("make_batch: no pairs; give at least one"));
  CHECK_THROWS_MATCHES(batch_with({{}, {3, 2}}), Error,
                       Message("make_batch: the source of pair 2 is empty, but attention needs at least one "
                               "position; drop the pair"));
  for (const Ids& target : {Ids{}, Ids{3}, Ids{3, 2, 3}, Ids{3, 2, 0}}) {
    CHECK_THROWS_MATCHES(batch_with({{3}, target}), Error,
                         Message("make_batch: the target of pair 2 does not end in EOS (2); append it"));
  }
  CHECK_THROWS_MATCHES(batch_with({{3}, {4, 0, 2}}), Error,
                       Message("make_batch: target[1] of pair 2 is 0" + advice));
  CHECK_THROWS_MATCHES(batch_with({{3}, {1, 4, 2}}), Error,
                       Message("make_batch: target[0] of pair 2 is 1" + advice));
  CHECK_THROWS_MATCHES(batch_with({{3}, {4, 2, 2}}), Error,
                       Message("make_batch: target[1] of pair 2 is 2" + advice));
  CHECK_THROWS_MATCHES(batch_with({{3, 4, 2}, {2}}), Error,
                       Message("make_batch: source[2] of pair 2 is 2" + advice));
  CHECK_THROWS_MATCHES(batch_with({{-1}, {2}}), Error,
                       Message("make_batch: source[0] of pair 2 is -1" + advice));
}

TEST_CASE("selected sequences form a batch trimmed to their longest", "[data][batch]") {
  const Pairs pairs = {{{3, 4, 5}, {5, 4, 3, 2}}, {{6, 7}, {7, 6, 2}}, {{8}, {8, 2}}};
  const Batch batch = make_batch(pairs);
  const Batch same = make_batch(Pairs{pairs[2], pairs[1]});
  const Batch some = gradus::data::select(batch, Ids{2, 1});
  CHECK(some.size == 2);
  CHECK(some.source_steps == 2);
  CHECK(some.target_steps == 3);
  CHECK(some.source == same.source);
  CHECK(some.target_in == same.target_in);
  CHECK(some.target_out == same.target_out);
  CHECK(some.source_lengths == same.source_lengths);
  CHECK(some.target_lengths == same.target_lengths);

  CHECK_THROWS_MATCHES(gradus::data::select(batch, Ids{}), Error,
                       Message("select: no rows; give at least one"));
  CHECK_THROWS_MATCHES(gradus::data::select(batch, Ids{0, 3}), Error,
                       Message("select: row 3 is outside a batch of 3 sequences; rows count from 0"));
}
