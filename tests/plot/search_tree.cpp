#include <set>

#include "plot/picture.hpp"

TEST_CASE("a search tree has one column per step, and no overlapping nodes", "[plot]") {
  const std::string picture = svg(beam_of_two());
  const auto place = [&](const std::string& tooltip, const std::string& name) {
    const std::string element = picture.substr(0, picture.find("<title>" + tooltip + "</title>"));
    return attribute(element.substr(element.rfind("<rect")), "<rect", name);
  };
  CHECK(place("&lt;bos&gt;", "x") < place("a: -0.5", "x"));
  CHECK(place("a: -0.5", "x") == place("b: -1.2", "x"));
  CHECK(place("a: -0.5", "x") + place("a: -0.5", "width") < place("c: -0.9", "x"));
  CHECK(place("c: -0.9", "x") == place("e: -4", "x"));
  const double height = place("a: -0.5", "height");
  CHECK(place("a: -0.5", "y") + height < place("b: -1.2", "y"));
  CHECK(place("c: -0.9", "y") + height < place("d: -1.5", "y"));
  CHECK(place("d: -1.5", "y") + height < place("e: -4", "y"));
  CHECK(place("b: -1.2", "y") == place("e: -4", "y"));  // an only child is at its parent's height
  for (const char* text : {"beam", "step 1", "step 2", "a", "-0.5"}) CHECK(shows(picture, text));
  CHECK_FALSE(shows(picture, "step 3"));
}

TEST_CASE("a search tree shows every fate, and its key only those that occur", "[plot]") {
  plot::SearchTree tree = beam_of_two();
  const std::string picture = svg(tree);
  for (const char* name : {"kept", "dropped", "ended", "best"}) CHECK(shows(picture, name));
  // Each node that ended, was kept or is best has a box. The key has one box for each of these three fates.
  // Dropped nodes have no box.
  CHECK(count(picture, "<rect class=\"gp-back gp-axis\"") == 1 + 1);
  CHECK(count(picture, "<rect class=\"gp-back gp-line gp-s2\"") == 1 + 1);
  CHECK(count(picture, "<rect class=\"gp-fill gp-s0\"") == 3 + 1);
  CHECK(count(picture, "<path class=\"gp-line gp-s0\"") == 2);  // the edges on the path to the best output
  CHECK(count(picture, "<path class=\"gp-axis gp-dash1\"") == 1);
  tree.nodes.pop_back();
  CHECK_FALSE(shows(svg(tree), "dropped"));
}

TEST_CASE("the output of greedy decoding differs from the best and from those that ended", "[plot]") {
  plot::SearchTree tree = beam_of_two();
  tree.nodes[2].fate = plot::Fate::greedy;
  const std::string picture = svg(tree);
  CHECK(shows(picture, "greedy"));
  CHECK(count(picture, "<rect class=\"gp-back gp-line gp-s1 gp-dash1\"") == 1 + 1);
  CHECK(count(picture, "<path class=\"gp-line gp-s1\"") == 1);
}

TEST_CASE("a search tree that cannot be drawn is refused", "[plot]") {
  CHECK(message([] { svg(plot::SearchTree{"t", {}}); }) ==
        "plot::svg(SearchTree 't'): no nodes; add at least one");
  for (const std::int64_t parent : {-2, 1, 2}) {
    plot::SearchTree tree{"t", {{-1, "a"}, {parent, "b"}}};
    CHECK(message([&] { svg(tree); }) == "plot::svg(SearchTree 't'): the parent of node 1 is " +
                                             std::to_string(parent) +
                                             ", but must be an earlier node, or -1 for a root");
  }
}
