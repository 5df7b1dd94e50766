// draw_graph() and save_graph().

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/graph/graph.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sys/stat.h>
#include <unistd.h>

#include "autograd/helpers.hpp"

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using gradus::draw_graph;
using gradus::Dtype;
using gradus::full;
using gradus::ones;
using gradus::save_graph;
using gradus::Scope;
using gradus::Tensor;
using gradus::tensor;

namespace {

Tensor scalar(double value) { return leaf(full({}, value)); }

// The graph without styles. "n0 x | 2" is node n0 with a label of two lines, "x" and "2".
std::string sketch(const Tensor& root, const gradus::GraphOptions& options = {}) {
  std::string text = draw_graph(root, options);
  const auto replace = [&text](const char* pattern, const char* with) {
    text = std::regex_replace(text, std::regex(pattern), with);
  };
  replace("^digraph gradus \\{\n.*\n.*\n.*\n", "");
  replace("\\}\n$", "");
  replace("> ?\\]|>, [^\n]*\\]", "");
  replace("<br/> <font [^>]*>", " | ");
  replace("</font> |</?b>", "");
  replace("\\[label=<|\\[label=\" |\"\\]", "");
  replace("label=<([^>]*)>", "$1");
  return text;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "gradus-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  auto files() const { return std::distance(fs::directory_iterator(path_), fs::directory_iterator()); }

 private:
  std::string path_;
};

// Sets PATH to `folder`; the destructor restores PATH.
class SearchPath {
 public:
  explicit SearchPath(const std::string& folder) : before_(std::getenv("PATH")) {
    ::setenv("PATH", folder.c_str(), 1);
  }
  ~SearchPath() { ::setenv("PATH", before_.c_str(), 1); }
  SearchPath(const SearchPath&) = delete;
  SearchPath& operator=(const SearchPath&) = delete;

 private:
  std::string before_;
};

void make_program(const std::string& path, const std::string& commands) {
  std::ofstream(path) << "#!/bin/sh\n" << commands << '\n';
  REQUIRE(::chmod(path.c_str(), 0700) == 0);
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool has_graphviz() { return std::system("dot -V > /dev/null 2>&1") == 0; }

}  // namespace

TEST_CASE("a graph is drawn with leaves, operations, values and edges", "[autograd][graph]") {
  const Tensor x = scalar(2), w = leaf(tensor({1, 2}));
  CHECK(draw_graph(x * w, {{{"x", x}}}) ==
        R"(digraph gradus {
  graph [rankdir=TB, bgcolor=transparent, nodesep=0.3, ranksep=0.4, style=rounded, color="#94a3b8", penwidth=0.8, labeljust=l, fontname="Helvetica,Arial,sans-serif", fontsize=12, fontcolor="#7c8798"]
  node [shape=box, style="rounded,filled", fillcolor=white, color="#7c9cc4", penwidth=0.8, margin="0.14,0.08", height=0.3, fontname="Helvetica,Arial,sans-serif", fontsize=12, fontcolor="#1f2933"]
  edge [color="#8b98a9", penwidth=0.8, arrowsize=0.6, fontname="Helvetica,Arial,sans-serif", fontsize=10, fontcolor="#7c8798"]
  n0 [label=<<b>x</b><br/> <font point-size="10" color="#2b6cb0">2</font> >, style=filled, fillcolor="#eef8ee", color="#6fae7c"]
  n1 [label=<<b>leaf</b><br/> <font point-size="10" color="#6b7280">(2)</font> <br/> <font point-size="10" color="#2b6cb0">[1, 2]</font> >, style=filled, fillcolor="#eef8ee", color="#6fae7c"]
  n2 [label=<<b>mul</b><br/> <font point-size="10" color="#6b7280">(2)</font> <br/> <font point-size="10" color="#2b6cb0">[2, 4]</font> >, penwidth=2.2]
  n0 -> n2
  n1 -> n2
}
)");
}

TEST_CASE("a single leaf can be drawn", "[autograd][graph]") {
  const Tensor x = scalar(2);
  CHECK(sketch(x, {{{"some.x", x}}}) == "  n0 some.x | 2\n");
}

TEST_CASE("stored gradients are drawn", "[autograd][graph]") {
  const Tensor x = scalar(2), w = scalar(-0.5), b = scalar(1.0 / 3);
  Tensor product = x * w;
  const Tensor sum = product + b;
  product.retain_grad();
  sum.backward(true);
  CHECK(sketch(sum, {{{"x", x}, {"w", w}, {"b", b}}}) ==
        "  n0 x | 2 | grad -0.5\n"
        "  n1 w | -0.5 | grad 2\n"
        "  n2 b | 0.3333 | grad 1\n"
        "  n3 mul | -1 | grad 1\n"
        "  n4 add | -0.6667\n"
        "  n0 -> n3\n"
        "  n1 -> n3\n"
        "  n3 -> n4\n"
        "  n2 -> n4\n");
}

TEST_CASE("up to 8 elements are drawn, one row per line, with the dtype unless it is f32",
          "[autograd][graph]") {
  const Tensor eight = leaf(ones({2, 4}, Dtype::f64)), nine = leaf(ones({3, 3}));
  const Tensor e = sum(eight), n = sum(nine);
  e.backward(true);
  n.backward(true);
  CHECK(sketch(e) ==
        "  n0 leaf | (2, 4) f64 | [[1, 1, 1, 1], | [1, 1, 1, 1]] | grad [[1, 1, 1, 1], | [1, 1, 1, 1]]\n"
        "  n1 sum | f64 | 8\n"
        "  n0 -> n1\n");
  CHECK(sketch(n) ==
        "  n0 leaf | (3, 3)\n"
        "  n1 sum | 9\n"
        "  n0 -> n1\n");
}

TEST_CASE("an input used twice has two edges, and a constant none", "[autograd][graph]") {
  const Tensor x = scalar(3);
  CHECK(sketch(x * x * full({}, 2)) ==
        "  n0 leaf | 3\n"
        "  n1 mul | 9\n"
        "  n2 mul | 18\n"
        "  n0 -> n1\n"
        "  n0 -> n1\n"
        "  n1 -> n2\n");
}

TEST_CASE("modules are boxes, and a leaf's name chooses its box, or its uses if it has no name",
          "[autograd][graph]") {
  const Tensor x = scalar(1), w = scalar(2), v = scalar(3), a = scalar(4), b = scalar(5);
  Tensor y;
  {
    const Scope decoder("decoder");
    {
      const Scope attention("attention");
      y = x * w + v;
    }
    y = y * a * b;
  }
  // No recorded operation belongs to the module of `v`. The leaves `x` and `a` have no names. The name of `b`
  // has no path.
  CHECK(sketch(-y, {{{"decoder.attention.w", w}, {"decoder.attention.V.v", v}, {"b", b}}}) ==
        "  n4 b | 5\n"
        "  n9 neg | -100\n"
        "  subgraph cluster_0 {\n"
        "    decoder\n"
        "    n3 leaf | 4\n"
        "    n7 mul | 20\n"
        "    n8 mul | 100\n"
        "    subgraph cluster_1 {\n"
        "      attention\n"
        "      n0 leaf | 1\n"
        "      n1 w | 2\n"
        "      n2 V.v | 3\n"
        "      n5 mul | 2\n"
        "      n6 add | 5\n"
        "    }\n"
        "  }\n"
        "  n0 -> n5\n"
        "  n1 -> n5\n"
        "  n5 -> n6\n"
        "  n2 -> n6\n"
        "  n6 -> n7\n"
        "  n3 -> n7\n"
        "  n7 -> n8\n"
        "  n4 -> n8\n"
        "  n8 -> n9\n");
}

TEST_CASE("an unnamed leaf used by two modules is in the box around both", "[autograd][graph]") {
  const Tensor w = scalar(1);
  const auto in = [&](const char* outer, const char* inner) {
    const Scope a(outer), b(inner);
    return -w;
  };
  CHECK_THAT(sketch(in("a", "b") + in("a", "c")), ContainsSubstring("    a\n    n0 leaf | 1\n"));
  CHECK_THAT(sketch(in("a", "b") + in("c", "b")), Catch::Matchers::StartsWith("  n0 leaf | 1\n"));
}

TEST_CASE("results can be named, the first name is used, and names of other tensors are ignored",
          "[autograd][graph]") {
  const Tensor x = scalar(3), y = -x;
  CHECK(sketch(y, {{{"", x}, {"x", x}, {"tied", x}, {"y", y}, {"none", Tensor()}, {"constant", ones({})}}}) ==
        "  n0 x | 3\n"
        "  n1 y = neg | -3\n"
        "  n0 -> n1\n");
}

TEST_CASE("special characters in names are escaped", "[autograd][graph]") {
  const Tensor x = scalar(3);
  const Scope scope("<\"b\\ox\">");
  const std::string text = draw_graph(-x, {{{"a<b>&\"c\\N{d|ά}\ne\tf", x}}});
  CHECK_THAT(text, ContainsSubstring("[label=<<b>a&lt;b&gt;&amp;\"c\\\\N{d|ά} e f</b><br/>"));
  CHECK_THAT(text, ContainsSubstring("label=<&lt;\"b\\\\ox\"&gt;>\n"));
}

namespace {

// Three steps of a decoder with attention. The loss is outside the modules `decoder` and `attention`.
struct Steps {
  Tensor x = leaf(ones({2})), w = leaf(ones({2})), v = leaf(ones({2}));
  Tensor loss;

  Steps() {
    Tensor state = x;
    for (int i = 0; i < 3; ++i) state = step(state);
    loss = sum(exp(-(-state)));
  }

  Tensor step(const Tensor& state) const {
    const Scope decoder("decoder");
    return tanh(attend(state) + w);
  }
  Tensor attend(const Tensor& state) const {
    const Scope attention("attention");
    return state * v;
  }
  gradus::GraphOptions options(std::size_t max_nodes) const {
    return {{{"x", x}, {"decoder.w", w}, {"decoder.attention.v", v}}, max_nodes};
  }
};

}  // namespace

TEST_CASE("a graph over max_nodes has one node per module for all steps", "[autograd][graph]") {
  const Steps steps;
  CHECK_THAT(sketch(steps.loss, steps.options(16)), ContainsSubstring("  n15 sum | 5.23\n"));
  CHECK(sketch(steps.loss, steps.options(15)) ==
        "  n0 x | (2) | [1, 1]\n"
        "  n5 neg ×2\n"
        "  n6 exp | (2) | [2.615, 2.615]\n"
        "  n7 sum | 5.23\n"
        "  subgraph cluster_0 {\n"
        "    decoder\n"
        "    n1 w | (2) | [1, 1]\n"
        "    n4 6 operations | add, tanh\n"
        "    subgraph cluster_1 {\n"
        "      attention\n"
        "      n2 v | (2) | [1, 1]\n"
        "      n3 mul ×3\n"
        "    }\n"
        "  }\n"
        "  n0 -> n3\n"
        "  n2 -> n3 ×3\n"
        "  n3 -> n4 (2) ×3\n"
        "  n1 -> n4 ×3\n"
        "  n4 -> n3 (2) ×2\n"
        "  n4 -> n5 (2)\n"
        "  n5 -> n6 (2)\n"
        "  n6 -> n7\n");
}

TEST_CASE("leaves are merged before modules", "[autograd][graph]") {
  const Steps steps;
  CHECK_THAT(sketch(steps.loss, steps.options(8)), ContainsSubstring("n2 v | (2)"));
  const std::string merged =
      "  n0 x | (2) | [1, 1]\n"
      "  n3 neg ×2\n"
      "  n4 exp | (2) | [2.615, 2.615]\n"
      "  n5 sum | 5.23\n"
      "  subgraph cluster_0 {\n"
      "    decoder\n"
      "    n1 6 operations | add, tanh | w\n"
      "    subgraph cluster_1 {\n"
      "      attention\n"
      "      n2 mul ×3 | v\n"
      "    }\n"
      "  }\n"
      "  n0 -> n2\n"
      "  n2 -> n1 (2) ×3\n"
      "  n1 -> n2 (2) ×2\n"
      "  n1 -> n3 (2)\n"
      "  n3 -> n4 (2)\n"
      "  n4 -> n5\n";
  CHECK(sketch(steps.loss, steps.options(7)) == merged);
  CHECK(sketch(steps.loss, steps.options(6)) == merged);
}

TEST_CASE("after the leaves, the innermost modules are merged into their parents", "[autograd][graph]") {
  const Steps steps;
  const std::string merged =
      "  n0 x | (2) | [1, 1]\n"
      "  n2 neg ×2\n"
      "  n3 exp | (2) | [2.615, 2.615]\n"
      "  n4 sum | 5.23\n"
      "  subgraph cluster_0 {\n"
      "    decoder\n"
      "    n1 9 operations | mul, add, tanh | w, attention.v\n"
      "  }\n"
      "  n0 -> n1\n"
      "  n1 -> n2 (2)\n"
      "  n2 -> n3 (2)\n"
      "  n3 -> n4\n";
  CHECK(sketch(steps.loss, steps.options(5)) == merged);
  CHECK(sketch(steps.loss, steps.options(1)) == merged);  // the graph cannot become smaller
}

TEST_CASE("outside all modules, operations with the same name are merged", "[autograd][graph]") {
  const Tensor x = scalar(1), y = leaf(ones({2}));
  Tensor z = x;
  for (int i = 0; i < 5; ++i) z = exp(z * 0.5) * y;
  CHECK(sketch(z, {{{"x", x}, {"y", y}}, 4}) ==
        "  n0 x | 1\n"
        "  n1 y | (2) | [1, 1]\n"
        "  n2 mul ×10\n"
        "  n3 exp ×5\n"
        "  n0 -> n2\n"
        "  n2 -> n3 ×5\n"
        "  n3 -> n2 ×5\n"
        "  n1 -> n2 ×5\n");
  CHECK_THAT(sketch(z, {{{"x", x}, {"y", y}}, 3}), Catch::Matchers::StartsWith("  n0 2 leaves | x, y\n"));
}

TEST_CASE("long lists of merged operations are truncated, and a merged root is marked", "[autograd][graph]") {
  const Tensor x = scalar(0.5);
  const Scope scope("maths");
  const std::string text = draw_graph(exp(tanh(log(exp(sigmoid(x))))), {.max_nodes = 1});
  CHECK_THAT(text, ContainsSubstring(">sigmoid, exp, log, …<"));
  CHECK_THAT(text, ContainsSubstring(">leaf</font> >, fillcolor=\"#eef3fb\", penwidth=2.2]"));
}

TEST_CASE("the same computation gives the same graph text", "[autograd][graph]") {
  for (const std::size_t max_nodes : {100, 8, 5}) {
    const Steps first, second;
    const std::string text = draw_graph(first.loss, first.options(max_nodes));
    CHECK(draw_graph(first.loss, first.options(max_nodes)) == text);
    CHECK(draw_graph(second.loss, second.options(max_nodes)) == text);
  }
}

TEST_CASE("draw_graph() rejects tensors that are not on the tape", "[autograd][graph]") {
  CHECK_ERROR(draw_graph(ones({2})),
              "draw_graph: this tensor (2) was not recorded: no input has requires_grad, or NoGrad is on");
  const Tensor x = scalar(2), y = exp(x), z = -y;
  y.backward();
  const char* freed =
      "draw_graph: the tape of 'exp' () was freed by an earlier backward(); read the tape before backward(), "
      "or call "
      "it "
      "with retain_graph = true";
  CHECK_ERROR(draw_graph(y), freed);
  CHECK_ERROR(draw_graph(z), freed);
}

TEST_CASE("save_graph() writes text to a .dot file", "[autograd][graph]") {
  const TemporaryFolder folder;
  const Steps steps;
  const std::string path = folder / "graph.dot";
  std::ofstream(path) << "old";
  save_graph(steps.loss, path, steps.options(5));
  CHECK(content(path) == draw_graph(steps.loss, steps.options(5)));
  CHECK(folder.files() == 1);
}

TEST_CASE("save_graph() writes a picture to an .svg file", "[autograd][graph]") {
  if (!has_graphviz()) {
    WARN("skipped: Graphviz's 'dot' is not installed");
    return;
  }
  const TemporaryFolder folder;
  const Tensor x = scalar(3);
  const Scope blank("\n"), scope("<\"b\\ox\">");
  const Tensor y = -x;
  save_graph(y, folder / "graph.svg", {{{"\n", y}, {"a<b>&\"c\\N{d|ά}\n\x01</b>", x}}});
  const std::string svg = content(folder / "graph.svg");
  CHECK_THAT(svg, ContainsSubstring(">a&lt;b&gt;&amp;&quot;c\\N{d|ά} "));
  CHECK_THAT(svg, ContainsSubstring(">&lt;&quot;b\\ox&quot;&gt;</text>"));
  CHECK_THAT(svg, Catch::Matchers::EndsWith("</svg>\n"));
  CHECK(folder.files() == 1);
}

TEST_CASE("save_graph() passes text of any length to dot and writes its output to the file",
          "[autograd][graph]") {
  const TemporaryFolder folder, programs;
  make_program(programs / "dot", "/bin/cat; echo \"$1 $#\"; echo a warning >&2");
  const SearchPath path(programs.path());
  Tensor y = scalar(1);
  for (int i = 0; i < 5000; ++i) y = -y;
  save_graph(y, folder / "graph.svg", {.max_nodes = 10'000});
  CHECK(content(folder / "graph.svg") == draw_graph(y, {.max_nodes = 10'000}) + "-Tsvg 1\n");
}

TEST_CASE("a missing or failing dot is an error that says what to do", "[autograd][graph]") {
  const TemporaryFolder folder, programs;
  const Tensor y = -scalar(1);
  {
    const SearchPath path("");
    CHECK_ERROR(save_graph(y, folder / "graph.svg"),
                "save_graph: Graphviz's 'dot' was not found; install the package graphviz, or save as .dot");
    CHECK_NOTHROW(save_graph(y, folder / "graph.dot"));
  }
  const SearchPath path(programs.path());
  make_program(programs / "dot", "echo 'syntax error' >&2; exit 3");
  CHECK_ERROR(
      save_graph(y, folder / "graph.svg"),
      "save_graph: Graphviz's 'dot' failed with status 3: syntax error; save as .dot to see its input");
  make_program(programs / "dot", "echo half a picture; echo ouch >&2; kill -9 $$");
  CHECK_ERROR(save_graph(y, folder / "graph.svg"),
              "save_graph: Graphviz's 'dot' failed with signal 9: ouch; save as .dot to see its input");
  REQUIRE(::chmod((programs / "dot").c_str(), 0) == 0);
  CHECK_ERROR(save_graph(y, folder / "graph.svg"),
              "save_graph: Graphviz's 'dot' could not be run: Permission denied; save as .dot");
  CHECK_FALSE(fs::exists(folder / "graph.svg"));
  CHECK(folder.files() == 1);
}

TEST_CASE("save_graph() rejects other extensions and paths that it cannot write", "[autograd][graph]") {
  const TemporaryFolder folder;
  const Tensor y = -scalar(1);
  CHECK_ERROR(save_graph(y, "graph.png"),
              "save_graph: 'graph.png' must end in .dot, for Graphviz's text, or .svg, for a picture");
  CHECK_ERROR(save_graph(y, "graph"),
              "save_graph: 'graph' must end in .dot, for Graphviz's text, or .svg, for a picture");
  CHECK_ERROR(save_graph(y, "/nowhere/graph.dot"),
              "save_graph: cannot write to '/nowhere/graph.dot': No such file or directory; the folder does "
              "not exist; create it, or choose another");
  fs::create_directory(folder / "graph.dot");
  CHECK_ERROR(save_graph(y, folder / "graph.dot"),
              "save_graph: cannot write to '" + (folder / "graph.dot") +
                  "': Is a directory; a folder has this name; choose another name, or move the folder");
  CHECK(folder.files() == 1);
}
