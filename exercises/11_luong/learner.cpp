#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) {
  using exercise::AttentionSizes;
  const Luong answer{
      .dot = [](const AttentionSizes&) { return std::make_unique<LuongDot>(); },
      .general = [](const AttentionSizes& n) { return std::make_unique<LuongGeneral>(n.query, n.value); },
      .concat =
          [](const AttentionSizes& n) { return std::make_unique<LuongConcat>(n.query, n.value, n.energy); },
      .decoder = [](const LuongSizes& n,
                    auto attention) { return std::make_unique<LuongDecoder>(n, std::move(attention)); },
      .input_feeding =
          [](const LuongSizes& n, auto attention) {
            return std::make_unique<LuongInputFeeding>(n, std::move(attention));
          },
      .local_m =
          [](const AttentionSizes& n, double half_window) {
            return std::make_unique<LocalMonotonic>(n.query, n.value, half_window);
          },
      .local_p =
          [](const AttentionSizes& n, double half_window) {
            return std::make_unique<LocalPredictive>(n.query, n.value, n.energy, half_window);
          }};
  return exercise::main(argc, argv, luong_exercise(answer));
}
