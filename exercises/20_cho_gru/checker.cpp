#include <algorithm>
#include <iterator>

#include "parts.hpp"

exercise::Exercise cho_gru_exercise(const ChoGru& answer) {
  std::vector<exercise::Stage> stages = cho_gru::step_stages(answer);
  std::ranges::move(cho_gru::padded_stages(answer), std::back_inserter(stages));
  return {.name = "cho_gru", .stages = std::move(stages)};
}
