// Uses the libraries that gradus::gradus contains.
#include <gradus/gradus.hpp>

#include <iostream>

using namespace gradus;

int main() {
  nn::Linear linear(2, 3);
  std::cout << compress::round_to_int8(linear).size() << " parameter in int8, "
            << speech::frames_at_speed(6, 2).size() << " of 6 frames\n"
            << draw_graph(linear.forward(ones({1, 2}))).substr(0, 7) << '\n'
            << plot::svg(plot::Heatmap{.columns = {"b"}, .rows = {"a"}, .values = {1}}).substr(0, 4) << '\n'
            << models::preset("d2l").hidden << " units\n";
}
