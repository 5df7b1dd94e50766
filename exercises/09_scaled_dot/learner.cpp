#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) {
  return exercise::main(
      argc, argv, scaled_dot_exercise([](std::int64_t query_size, std::int64_t value_size, std::int64_t d) {
        return std::make_unique<ScaledDotAttention>(query_size, value_size, d);
      }));
}
