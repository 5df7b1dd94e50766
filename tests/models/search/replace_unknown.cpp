// Replaces the unknown words of an output by the source words with the largest attention weights.

#include <gradus/models/replace_unknown.hpp>

#include "nn/helpers.hpp"

using gradus::Tensor;
using gradus::tensor;
using gradus::models::replace_unknown;
using Words = std::vector<std::string>;

namespace {

const Words source = {"Anna", "sees", "Bob"};
// The last row belongs to EOS.
const Tensor weights = tensor({{0.2, 0.3, 0.5}, {0.1, 0.8, 0.1}, {0.4, 0.2, 0.4}, {0, 0, 1}});

}  // namespace

TEST_CASE("an unknown word becomes the source word with the largest weight, the first on ties",
          "[models][unknown]") {
  CHECK(replace_unknown({"<unk>", "voit", "<unk>"}, weights, source, "<unk>") ==
        Words{"Bob", "voit", "Anna"});
  CHECK(replace_unknown({"?", "<unk>"}, weights, source, "?") == Words{"Bob", "<unk>"});
  CHECK(replace_unknown({}, weights, source, "<unk>").empty());
}

TEST_CASE("replace_unknown() refuses weights that do not fit", "[models][unknown]") {
  CHECK_ERROR(replace_unknown({"<unk>"}, Tensor(), source, "<unk>"),
              "replace_unknown: the weights are undefined; use a decoder with attention");
  const auto message = [](const std::string& shape, int target, int words) {
    return "replace_unknown: the weights are " + shape + ", and must have a row for each of the " +
           std::to_string(target) + " target words and a column for each of the " + std::to_string(words) +
           " source words";
  };
  CHECK_ERROR(replace_unknown(Words(5), weights, source, "<unk>"), message("(4, 3)", 5, 3));
  CHECK_ERROR(replace_unknown({"a"}, weights, Words{"b"}, "<unk>"), message("(4, 3)", 1, 1));
  CHECK_ERROR(replace_unknown({"a"}, weights[0], source, "<unk>"), message("(3)", 1, 3));
  CHECK_ERROR(replace_unknown({"a"}, gradus::zeros({1, 0}), {}, "<unk>"), message("(1, 0)", 1, 0));
}
