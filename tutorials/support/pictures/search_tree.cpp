#include "search_tree.hpp"

#include <algorithm>
#include <map>

#include "support/page/table.hpp"

namespace tutorial {

namespace plot = gradus::plot;

using Tokens = std::vector<std::int64_t>;

plot::SearchTree search_tree(const std::string& title, const std::vector<Considered>& course,
                             const Tokens& best, const Tokens& greedy, const gradus::data::Reversal& task) {
  plot::SearchTree tree{.title = title, .nodes = {{.label = "<bos>", .fate = plot::Fate::best}}};
  std::map<Tokens, std::int64_t> nodes = {{{}, 0}};
  for (const auto& [y, number, is_kept] : course) {
    const Tokens before(y.begin(), y.end() - 1);
    const auto leads_to = [&y](const Tokens& output) {
      return y.size() <= output.size() && std::equal(y.begin(), y.end(), output.begin());
    };
    nodes[y] = std::ssize(tree.nodes);
    tree.nodes.push_back({nodes.at(before), task.token_text(y.back()), decimals(number, 2),
                          !is_kept                        ? plot::Fate::dropped
                          : leads_to(best)                ? plot::Fate::best
                          : leads_to(greedy)              ? plot::Fate::greedy
                          : y.back() == gradus::data::eos ? plot::Fate::ended
                                                          : plot::Fate::kept});
  }
  return tree;
}

}  // namespace tutorial
