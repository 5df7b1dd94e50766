#include <gradus/graph/graph.hpp>

#include <algorithm>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "picture.hpp"

namespace gradus {
namespace {

constexpr std::size_t listed_names = 3;  // number of names that a merged node shows

// Colours for both light and dark pages. Nodes have their own background. Lines, and text outside nodes, are
// mid-grey.
constexpr const char* header =
    R"(digraph gradus {
  graph [rankdir=TB, bgcolor=transparent, nodesep=0.3, ranksep=0.4, style=rounded, color="#94a3b8", penwidth=0.8, labeljust=l, fontname="Helvetica,Arial,sans-serif", fontsize=12, fontcolor="#7c8798"]
  node [shape=box, style="rounded,filled", fillcolor=white, color="#7c9cc4", penwidth=0.8, margin="0.14,0.08", height=0.3, fontname="Helvetica,Arial,sans-serif", fontsize=12, fontcolor="#1f2933"]
  edge [color="#8b98a9", penwidth=0.8, arrowsize=0.6, fontname="Helvetica,Arial,sans-serif", fontsize=10, fontcolor="#7c8798"]
)";
constexpr const char* leaf_style = R"(, style=filled, fillcolor="#eef8ee", color="#6fae7c")";
constexpr const char* merged_style = R"(, fillcolor="#eef3fb")";
constexpr const char* root_style = R"(, penwidth=2.2)";

constexpr const char* value_colour = "#2b6cb0";
constexpr const char* gradient_colour = "#b7562a";
constexpr const char* leaf_colour = "#3f7d4e";
constexpr const char* detail_colour = "#6b7280";

// Escapes text for HTML-like labels. In these labels, Graphviz also interprets backslashes.
std::string escaped(std::string_view text) {
  static const std::map<char, const char*> special{
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'\\', R"(\\)"}};
  std::string result;
  for (const char c : text) {
    if (const auto found = special.find(c); found != special.end()) {
      result += found->second;
    } else {
      result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;  // also newlines: a name is one line
    }
  }
  return result;
}

std::string bold(std::string_view text) { return "<b>" + escaped(text) + "</b>"; }

// The spaces outside <font> have the title's font size, so that a line of small text is as high as the title.
std::string small(const char* colour, const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    result +=
        std::string("<br/> <font point-size=\"10\" color=\"") + colour + "\">" + escaped(line) + "</font> ";
  }
  return result;
}

// Puts every row of a matrix on its own line.
std::string rows(std::string text) {
  for (std::size_t at = 0; (at = text.find("], [", at)) != text.npos;) text.replace(at, 3, "],\n");
  return text;
}

// `name` without the path of `box`, because the picture already shows that path.
std::string within(Box box, const std::string& name) {
  const std::string path = box->text() + ".";
  return box->parent != nullptr && name.starts_with(path) ? name.substr(path.size()) : name;
}

std::string title(const Recorded& node, Box box) {
  if (node.name.empty()) return node.operation;
  return node.is_leaf ? within(box, node.name) : node.name + " = " + node.operation;
}

std::string text_of_one(const Recorded& node, Box box) {
  std::string text = bold(title(node, box));
  std::string type = node.shape.rank() == 0 ? "" : node.shape.text();
  if (node.dtype != Dtype::f32) type += std::string(type.empty() ? "" : " ") + name(node.dtype);
  if (!type.empty()) text += small(detail_colour, type);
  if (!node.values.empty()) text += small(value_colour, rows(node.values));
  if (!node.gradient.empty()) text += small(gradient_colour, "grad " + rows(node.gradient));
  return text;
}

// The distinct names of merged nodes, and the number of these nodes.
class Listed {
 public:
  void add(std::string name) {
    ++count_;
    if (names_.size() <= listed_names && std::find(names_.begin(), names_.end(), name) == names_.end())
      names_.push_back(std::move(name));
  }

  std::size_t count() const { return count_; }
  bool of_one_kind() const { return names_.size() == 1; }

  std::string text() const {
    std::string result;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (i > 0) result += ", ";
      if (i == listed_names) return result + "…";
      result += names_[i];
    }
    return result;
  }

  std::string with_count() const { return count_ == 1 ? text() : text() + " ×" + std::to_string(count_); }

 private:
  std::vector<std::string> names_;  // at most one more name than is shown
  std::size_t count_ = 0;
};

// The title of merged nodes: "linear ×6", or "18 operations" and a line with their names.
std::string headline(const Listed& listed, const char* plural) {
  if (listed.of_one_kind()) return bold(listed.with_count());
  return bold(std::to_string(listed.count()) + " " + plural) + small(detail_colour, listed.text());
}

std::string text_of_many(const Vertex& vertex) {
  Listed operations, leaves;
  for (const Recorded* node : vertex.nodes) {
    if (node->is_leaf) {
      leaves.add(title(*node, vertex.box));
    } else {
      operations.add(node->operation);
    }
  }
  if (operations.count() == 0) return headline(leaves, "leaves");
  return headline(operations, "operations") + (leaves.count() == 0 ? "" : small(leaf_colour, leaves.text()));
}

std::string label(const Vertex& vertex) {
  return vertex.nodes.size() == 1 ? text_of_one(*vertex.nodes.front(), vertex.box) : text_of_many(vertex);
}

const char* style(const Vertex& vertex) {
  if (std::all_of(vertex.nodes.begin(), vertex.nodes.end(),
                  [](const Recorded* node) { return node->is_leaf; }))
    return leaf_style;
  return vertex.nodes.size() == 1 ? "" : merged_style;
}

class Writer {
 public:
  explicit Writer(const Picture& picture) : picture_(picture) {
    for (std::size_t i = 0; i < picture.vertices.size(); ++i)
      contents(picture.vertices[i].box).vertices.push_back(i);
  }

  std::string text() {
    out_ << header;
    write(outermost_, "  ");
    for (const Edge& edge : picture_.edges) write(edge);
    out_ << "}\n";
    return out_.str();
  }

 private:
  struct Contents {
    std::vector<std::size_t> vertices;
    std::vector<Box> boxes;
  };

  // The contents of `box`. The first call for a box adds it to the contents of its parent box.
  Contents& contents(Box box) {
    const auto [place, added] = contents_.try_emplace(box);
    if (added && box->parent == nullptr) outermost_ = box;
    if (added && box->parent != nullptr) contents(box->parent).boxes.push_back(box);
    return place->second;
  }

  void write(Box box, const std::string& indent) {
    for (const std::size_t vertex : contents_[box].vertices) write(vertex, indent);
    for (const Box inner : contents_[box].boxes) {
      out_ << indent << "subgraph cluster_" << clusters_++ << " {\n"
           << indent << "  label=<" << escaped(inner->name) << ">\n";
      write(inner, indent + "  ");
      out_ << indent << "}\n";
    }
  }

  void write(std::size_t number, const std::string& indent) {
    const Vertex& vertex = picture_.vertices[number];
    out_ << indent << 'n' << number << " [label=<" << label(vertex) << '>' << style(vertex)
         << (number == picture_.root ? root_style : "") << "]\n";
  }

  void write(const Edge& edge) {
    out_ << "  n" << edge.from << " -> n" << edge.to;
    // An edge from merged nodes shows a shape if all tensors of the edge have this shape. A single node shows
    // its own shape.
    const bool shaped = picture_.vertices[edge.from].nodes.size() > 1 && edge.same_shape;
    if (shaped || edge.count > 1) {
      out_ << " [label=\"";
      if (shaped) out_ << ' ' << edge.shape;
      if (edge.count > 1) out_ << " ×" << edge.count;
      out_ << "\"]";
    }
    out_ << '\n';
  }

  const Picture& picture_;
  std::map<Box, Contents> contents_;
  Box outermost_ = nullptr;
  std::ostringstream out_;
  int clusters_ = 0;
};

}  // namespace

std::string draw_graph(const Tensor& root, const GraphOptions& options) {
  const std::vector<Recorded> nodes = recorded("draw_graph", root, options.names);
  return Writer(picture_of(nodes, options.max_nodes)).text();
}

}  // namespace gradus
