// The trainer of the page as a native program, to compare with: answers each line of standard input.

#include <iostream>
#include <string>

#include "answer.hpp"

int main() {
  for (std::string request; std::getline(std::cin, request);)
    std::cout << gradus::web::answer(request) << std::endl;
}
