// draw_graph() of whole models.

#include <gradus/autograd/composed.hpp>
#include <gradus/graph/graph.hpp>

#include "models/helpers.hpp"

TEST_CASE("every parameter is drawn in the box of its module", "[models][graph]") {
  for (const Model& model : tiny_models()) {
    const gradus::Composed composed;  // fused operations would hide the parts
    const std::string text = draw_graph(gradus::models::loss(*model, tiny_batch()).total,
                                        {model->named_parameters(), /*max_nodes=*/1000});
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("<b>weight_ih_l0</b>"));
    CHECK_THAT(text, !Catch::Matchers::ContainsSubstring("<b>leaf</b>"));
    // In the box of its module, a parameter's label is only the last part of its name. A label with a dot
    // would show that the parameter is in the wrong box.
    for (const auto& [name, parameter] : model->named_parameters())
      CHECK_THAT(text, !Catch::Matchers::ContainsSubstring(name.substr(name.rfind('.')) + "</b>"));
  }
}

TEST_CASE("a model over max_nodes is drawn as its modules", "[models][graph]") {
  const Model model = std::move(tiny_models().front());
  const gradus::Composed composed;
  const gradus::Tensor loss = gradus::models::loss(*model, tiny_batch()).total;
  const std::string text = draw_graph(loss, {model->named_parameters(), /*max_nodes=*/20});
  for (const char* module : {"encoder", "rnn", "decoder", "attention", "W_a", "U_a", "W_s", "readout"})
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring("label=<" + std::string(module) + ">\n"));
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring(">weight_ih_l0, weight_hh_l0, bias_ih_l0, …<"));
  CHECK_THAT(text, !Catch::Matchers::ContainsSubstring("  n20 "));
}
