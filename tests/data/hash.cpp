#include <gradus/data/hash.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

#include "catch.hpp"

using gradus::data::stable_hash;

namespace {

std::uint64_t hash(const std::vector<std::int64_t>& ids) { return stable_hash(ids); }

}  // namespace

// Values from an independent implementation in Python. If a value changes, every split into training and
// held-out parts changes.
TEST_CASE("the stable hash never changes", "[data][hash]") {
  CHECK(hash({}) == 0xefd01f60ba992926);
  CHECK(hash({3}) == 0x1fd5602938298d72);
  CHECK(hash({3, 4, 5}) == 0xa68410acbc10e79b);
  CHECK(hash({5, 4, 3}) == 0x9c42319b9bd52f4a);
  CHECK(hash({3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12, 3}) == 0x33036dc4847fce09);
  CHECK(hash({-1}) == 0x6a92c0228678c02e);
  CHECK(hash({std::int64_t{1} << 40}) == 0x69c66c61a43ea063);

  using namespace std::string_view_literals;
  CHECK(stable_hash(""sv) == 0xefd01f60ba992926);
  CHECK(stable_hash("a"sv) == 0x82a2a958a9bece5b);
  CHECK(stable_hash("go ."sv) == 0x79508513e8dc4d9c);
  CHECK(stable_hash("你好。"sv) == 0x61060c2f11a4e5df);
}
