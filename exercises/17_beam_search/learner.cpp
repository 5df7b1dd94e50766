#include EXERCISE_FILE
#include "answer.hpp"

int main(int argc, char** argv) {
  return exercise::main(argc, argv,
                        beam_search_exercise([](const search::Model& model, const search::Options& options) {
                          return beam_search(model, options);
                        }));
}
