#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) {
  return exercise::main(argc, argv, beam_search_exercise([](const Model& model, const Options& options) {
                          return beam_search(model, options);
                        }));
}
