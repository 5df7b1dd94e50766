#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) {
  return exercise::main(argc, argv, additive_attention_exercise([](const exercise::AttentionSizes& sizes) {
                          return std::make_unique<AdditiveAttention>(sizes.query, sizes.value, sizes.energy);
                        }));
}
