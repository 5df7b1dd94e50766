#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>

#include "answer.hpp"

using namespace search;

namespace {

exercise::Attempt attempt(const std::string& name, const std::string& mistake, const BeamSearch& answer) {
  return {name, mistake, beam_search_exercise(answer)};
}

double penalty(std::size_t length, double alpha) {
  return std::pow(5 + static_cast<double>(length), alpha) / std::pow(6.0, alpha);
}

// A search in a learner's style, with replaceable steps.
struct Parts {
  using List = std::vector<Hypothesis>;
  std::function<double(const Hypothesis&, const Options&)> score = [](const Hypothesis& h, const Options& o) {
    return h.log_p / penalty(h.y.size(), o.alpha);
  };
  std::function<double(double log_p, double next, bool ends)> add = [](double log_p, double next, bool) {
    return log_p + next;
  };
  std::function<void(List& all, const Options&)> cut = [](List& all, const Options& o) {
    const auto K = static_cast<std::ptrdiff_t>(std::min(all.size(), static_cast<std::size_t>(o.width)));
    std::partial_sort(all.begin(), all.begin() + K, all.end(),
                      [](const Hypothesis& a, const Hypothesis& b) { return a.log_p > b.log_p; });
    all.resize(static_cast<std::size_t>(K));
  };
  std::function<bool(const List& live, const List& finished, const Options&)> stop =
      [](const List&, const List&, const Options&) { return false; };
  bool cut_each = false, goes_on = false, keeps_live = false, clears = false;
  std::int64_t more = 0;

  Hypothesis run(const Model& model, const Options& o) const {
    List live(1), finished;
    for (std::int64_t t = 0; t < o.max_length + more && !live.empty(); ++t) {
      List all;
      for (const Hypothesis& h : live) {
        List own;
        const auto p = model.log_p(h.y);
        for (std::size_t k = 0; k < p.size(); ++k) {
          Hypothesis next{h.y, 0, 0};
          next.y.push_back(static_cast<std::int64_t>(k));
          next.log_p = add(h.log_p, p[k], next.y.back() == model.eos);
          next.score = score(next, o);
          own.push_back(next);
        }
        if (cut_each) cut(own, o);
        all.insert(all.end(), own.begin(), own.end());
      }
      if (!cut_each) cut(all, o);
      live.clear();
      if (clears) finished.clear();
      for (const Hypothesis& h : all) {
        const bool ends = h.y.back() == model.eos;
        if (ends) finished.push_back(h);
        if (!ends || goes_on) live.push_back(h);
      }
      if (stop(live, finished, o)) break;
    }
    if (finished.empty() || keeps_live) finished.insert(finished.end(), live.begin(), live.end());
    return best(finished);
  }

  std::function<Hypothesis(const List&)> best = [](const List& list) {
    Hypothesis first = list[0];
    for (const Hypothesis& h : list)
      if (h.score > first.score) first = h;
    return first;
  };
};

exercise::Attempt changed(const std::string& name, const std::string& mistake,
                          const std::function<void(Parts&)>& change) {
  Parts parts;
  change(parts);
  return attempt(name, mistake, [parts](const Model& m, const Options& o) { return parts.run(m, o); });
}

// Keeps the K likeliest hypotheses in a heap. Stores backpointers instead of copies of the outputs. Stops as
// soon as no live hypothesis can reach a better score.
Hypothesis with_backpointers(const Model& model, const Options& o) {
  struct Node {
    int before;
    std::int64_t token;
    double log_p;
  };
  std::vector<Node> nodes = {{-1, -1, 0}};
  const auto output = [&](int at) {
    Tokens y;
    for (; nodes[static_cast<std::size_t>(at)].before >= 0; at = nodes[static_cast<std::size_t>(at)].before)
      y.insert(y.begin(), nodes[static_cast<std::size_t>(at)].token);
    return y;
  };
  std::vector<int> live = {0};
  Hypothesis best;
  best.score = -std::numeric_limits<double>::infinity();
  for (std::size_t t = 1; t <= static_cast<std::size_t>(o.max_length) && !live.empty(); ++t) {
    const auto less_likely = [](const Node& a, const Node& b) { return a.log_p > b.log_p; };
    std::priority_queue<Node, std::vector<Node>, decltype(less_likely)> heap(less_likely);
    for (const int at : live) {
      const auto p = model.log_p(output(at));
      for (std::size_t k = 0; k < p.size(); ++k) {
        heap.push({at, static_cast<std::int64_t>(k), nodes[static_cast<std::size_t>(at)].log_p + p[k]});
        if (heap.size() > static_cast<std::size_t>(o.width)) heap.pop();
      }
    }
    live.clear();
    double largest = -std::numeric_limits<double>::infinity();
    for (; !heap.empty(); heap.pop()) {
      const Node node = heap.top();
      nodes.push_back(node);
      const int at = static_cast<int>(nodes.size()) - 1;
      const double score = node.log_p / penalty(t, o.alpha);
      if (node.token != model.eos) {
        live.push_back(at);
        largest = std::max(largest, node.log_p);
      } else if (score > best.score) {
        best = {output(at), node.log_p, score};
      }
    }
    if (best.score >= largest / penalty(static_cast<std::size_t>(o.max_length), o.alpha)) break;
  }
  if (!best.y.empty()) return best;
  for (const int at : live) {
    const double log_p = nodes[static_cast<std::size_t>(at)].log_p;
    const double score = log_p / penalty(static_cast<std::size_t>(o.max_length), o.alpha);
    if (score > best.score) best = {output(at), log_p, score};
  }
  return best;
}

Hypothesis greedy(const Model& model, const Options& o) {
  Hypothesis h;
  while (std::ssize(h.y) < o.max_length && (h.y.empty() || h.y.back() != model.eos)) {
    const auto p = model.log_p(h.y);
    const auto k = std::max_element(p.begin(), p.end()) - p.begin();
    h.y.push_back(k);
    h.log_p += p[static_cast<std::size_t>(k)];
  }
  h.score = h.log_p / penalty(h.y.size(), o.alpha);
  return h;
}

// Keeps finished and live hypotheses in one list. Each step cuts the list to the K best: by score if
// `by_score`, otherwise by log-probability.
BeamSearch one_list(bool by_score) {
  return [by_score](const Model& model, const Options& o) {
    std::vector<Hypothesis> beam(1);
    for (std::int64_t t = 0; t < o.max_length; ++t) {
      std::vector<Hypothesis> all;
      for (const Hypothesis& h : beam) {
        if (!h.y.empty() && h.y.back() == model.eos) {
          all.push_back(h);
          continue;
        }
        const auto p = model.log_p(h.y);
        for (std::size_t k = 0; k < p.size(); ++k) {
          Hypothesis next = h;
          next.y.push_back(static_cast<std::int64_t>(k));
          next.log_p += p[k];
          next.score = next.log_p / penalty(next.y.size(), o.alpha);
          all.push_back(next);
        }
      }
      std::sort(all.begin(), all.end(), [&](const Hypothesis& a, const Hypothesis& b) {
        return by_score ? a.score > b.score : a.log_p > b.log_p;
      });
      all.resize(std::min(all.size(), static_cast<std::size_t>(o.width)));
      beam = all;
    }
    std::vector<Hypothesis> finished;
    for (const Hypothesis& h : beam)
      if (h.y.back() == model.eos) finished.push_back(h);
    if (finished.empty()) finished = beam;
    return *std::max_element(finished.begin(), finished.end(),
                             [](const Hypothesis& a, const Hypothesis& b) { return a.score < b.score; });
  };
}

double top(const Parts::List& list, double Hypothesis::* of) {
  double best = -std::numeric_limits<double>::infinity();
  for (const Hypothesis& h : list) best = std::max(best, h.*of);
  return best;
}

}  // namespace

int main() {
  using List = Parts::List;
  return exercise::bank({
      changed("with partial_sort", "", [](Parts&) {}),
      attempt("a heap, backpointers, and the bound", "", with_backpointers),
      changed("ends when nothing can be better", "",
              [](Parts& p) {
                p.stop = [](const List& live, const List& finished, const Options& o) {
                  return top(finished, &Hypothesis::score) >=
                         top(live, &Hypothesis::log_p) /
                             penalty(static_cast<std::size_t>(o.max_length), o.alpha);
                };
              }),
      attempt("greedy", "greedy", greedy),
      changed("continues past EOS", "past-eos", [](Parts& p) { p.goes_on = true; }),
      changed("sums compared", "no-penalty",
              [](Parts& p) {
                p.best = [](const List& list) {
                  return *std::max_element(list.begin(), list.end(),
                                           [](const auto& a, const auto& b) { return a.log_p < b.log_p; });
                };
              }),
      changed("the score is the sum", "no-penalty",
              [](Parts& p) { p.score = [](const Hypothesis& h, const Options&) { return h.log_p; }; }),
      changed("divided by |y|", "by-length",
              [](Parts& p) {
                p.score = [](const Hypothesis& h, const Options&) {
                  return h.log_p / static_cast<double>(h.y.size());
                };
              }),
      changed("multiplied", "multiplied",
              [](Parts& p) {
                p.score = [](const Hypothesis& h, const Options& o) {
                  return h.log_p * penalty(h.y.size(), o.alpha);
                };
              }),
      changed("α of the tutorial", "fixed-alpha",
              [](Parts& p) {
                p.score = [](const Hypothesis& h, const Options&) {
                  return h.log_p / penalty(h.y.size(), 0.6);
                };
              }),
      changed("EOS not added", "sum-without-eos",
              [](Parts& p) {
                p.add = [](double log_p, double next, bool ends) { return ends ? log_p : log_p + next; };
              }),
      changed("K for each", "children-of-each", [](Parts& p) { p.cut_each = true; }),
      changed("stops at the first", "first-finished",
              [](Parts& p) {
                p.stop = [](const List&, const List& finished, const Options&) { return !finished.empty(); };
              }),
      changed("bound with the live score", "early-bound",
              [](Parts& p) {
                p.stop = [](const List& live, const List& finished, const Options&) {
                  return !finished.empty() && !live.empty() &&
                         top(finished, &Hypothesis::score) >= top(live, &Hypothesis::score);
                };
              }),
      changed("live ones too", "live-too", [](Parts& p) { p.keeps_live = true; }),
      changed("first of the list", "first-finished",
              [](Parts& p) { p.best = [](const List& list) { return list[0]; }; }),
      changed("list created in the loop", "finished-dropped", [](Parts& p) { p.clears = true; }),
      changed("one token too few", "off-by-one", [](Parts& p) { p.more = -1; }),
      changed("one token too many", "off-by-one", [](Parts& p) { p.more = 1; }),
      changed("least likely kept", "worst",
              [](Parts& p) {
                p.cut = [](List& all, const Options& o) {
                  std::sort(all.begin(), all.end(),
                            [](const auto& a, const auto& b) { return a.log_p < b.log_p; });
                  all.resize(std::min(all.size(), static_cast<std::size_t>(o.width)));
                };
                p.best = [](const List& list) {
                  return *std::min_element(list.begin(), list.end(),
                                           [](const auto& a, const auto& b) { return a.score < b.score; });
                };
              }),
      attempt("finished ones in the same list", "keeps-place", one_list(false)),
      attempt("one list, by score", "values", one_list(true)),
      changed("EOS not counted", "length-without-eos",
              [](Parts& p) {
                p.score = [](const Hypothesis& h, const Options& o) {
                  return h.log_p / penalty(h.y.size() - 1, o.alpha);  // excludes EOS
                };
              }),
      attempt("probabilities summed", "wrong-sum",
              [](const Model& m, const Options& o) {
                Parts p;
                p.add = [](double log_p, double next, bool) { return log_p + std::exp(next); };
                return p.run(m, o);
              }),
      attempt("score not filled in", "wrong-score",
              [](const Model& m, const Options& o) {
                Hypothesis h = Parts().run(m, o);
                h.score = 0;
                return h;
              }),
      attempt("log_p not filled in", "wrong-sum",
              [](const Model& m, const Options& o) {
                Hypothesis h = Parts().run(m, o);
                h.log_p = h.score;
                return h;
              }),
      attempt("EOS removed", "values",
              [](const Model& m, const Options& o) {
                Hypothesis h = Parts().run(m, o);
                if (h.y.back() == m.eos) h.y.pop_back();
                return h;
              }),
      attempt("begins with BOS", "foreign-token",
              [](const Model& m, const Options& o) {
                return Parts().run({m.eos, [&](Tokens y) { return y.insert(y.begin(), -1), m.log_p(y); }}, o);
              }),
      attempt("calls the model for every token", "called-again",
              [](const Model& m, const Options& o) {
                return Parts().run({m.eos, [&](const Tokens& y) { return m.log_p(y), m.log_p(y); }}, o);
              }),
      attempt("a width that grows with the calls", "remembers",
              [n = 0](const Model& m, Options o) mutable {
                if (++n > 170) ++o.width;
                return Parts().run(m, o);
              }),
      attempt("K + 1 hypotheses", "one-wider",
              [](const Model& m, Options o) {
                ++o.width;
                return Parts().run(m, o);
              }),
      changed("lp with integers", "whole-division",
              [](Parts& p) {
                p.score = [](const Hypothesis& h, const Options& o) {
                  const double whole = std::floor((5 + static_cast<double>(h.y.size())) / 6);
                  return h.log_p / std::pow(whole, o.alpha);
                };
              }),
      changed("sums in float", "inexact",
              [](Parts& p) {
                p.add = [](double log_p, double next, bool) {
                  return static_cast<double>(static_cast<float>(log_p) + static_cast<float>(next));
                };
              }),
      attempt("asks the model once more at the end", "called-at-the-end",
              [](const Model& m, const Options& o) {
                const Hypothesis h = Parts().run(m, o);
                if (h.y.back() != m.eos) m.log_p(h.y);
                return h;
              }),
      changed("stops once K are finished", "stops-at-K",
              [](Parts& p) {
                p.stop = [](const Parts::List&, const Parts::List& finished, const Options& o) {
                  return std::ssize(finished) >= o.width;
                };
              }),
      attempt("the K finished with the largest sums", "prunes",
              [](const Model& m, const Options& o) {
                Parts p;
                const auto best = p.best;
                p.best = [=, cut = p.cut](const Parts::List& list) {
                  Parts::List kept = list;
                  cut(kept, o);
                  return best(kept);
                };
                return p.run(m, o);
              }),
      attempt("ln p returned as the score", "no-penalty",
              [](const Model& m, const Options& o) {
                Hypothesis h = Parts().run(m, o);
                h.score = h.log_p;
                return h;
              }),
      changed("stops when the likeliest ends", "early-bound",
              [](Parts& p) {
                p.stop = [](const Parts::List& live, const Parts::List& finished, const Options&) {
                  const auto likeliest = [](const Parts::List& list, std::size_t length) {
                    double most = -std::numeric_limits<double>::infinity();
                    for (const Hypothesis& h : list)
                      if (h.y.size() == length) most = std::max(most, h.log_p);
                    return most;
                  };
                  const std::size_t t = live.empty() ? 0 : live[0].y.size();
                  return likeliest(finished, t) > likeliest(live, t);
                };
              }),
      changed("the last finished", "last-found",
              [](Parts& p) { p.best = [](const Parts::List& list) { return list.back(); }; }),
      attempt("at most V hypotheses", "at-most-V",
              [](const Model& m, const Options& o) {
                Parts p;
                std::int64_t V = 0;
                p.cut = [&V, cut = p.cut](Parts::List& all, const Options& given) {
                  if (V == 0) V = std::ssize(all);
                  Options fewer = given;
                  fewer.width = std::min(given.width, V);
                  cut(all, fewer);
                };
                return p.run(m, o);
              }),
      changed("no token twice in a row", "no-repetition",
              [](Parts& p) {
                p.cut = [cut = p.cut](Parts::List& all, const Options& o) {
                  std::erase_if(all, [](const Hypothesis& h) {
                    return h.y.size() > 1 && h.y.back() == h.y[h.y.size() - 2];
                  });
                  cut(all, o);
                };
              }),
  });
}
