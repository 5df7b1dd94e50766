// Several threads use one model. checks/threads.sh runs this test under ThreadSanitizer.

#include <array>
#include <thread>

#include "models/decoding.hpp"

TEST_CASE("one model decodes the same in several concurrent threads as in one", "[models][search][threads]") {
  const BatchTensors x(tiny_batch());
  for (const Model& model : decisive_models()) {
    for (std::size_t which = 0; which < searches().size(); ++which) {
      // Each thread makes its own searches, because a Search that samples changes its generator.
      const auto decode = [&] { return searches()[which].search(*model, x.source, x.source_lengths, 7); };
      std::array<decltype(decode()), 4> together;
      std::vector<std::thread> threads;
      for (auto& found : together) threads.emplace_back([&] { found = decode(); });
      for (std::thread& thread : threads) thread.join();

      const auto alone = decode();
      for (const auto& found : together) {
        REQUIRE(found.size() == alone.size());
        for (std::size_t b = 0; b < alone.size(); ++b) CHECK(tokens_of(found[b]) == tokens_of(alone[b]));
      }
    }
  }
}
