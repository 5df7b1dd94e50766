#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "variants.hpp"

namespace variants {

namespace {

using search::Hypothesis;
using search::Model;
using search::Options;
using search::Tokens;
using Hypotheses = std::vector<Hypothesis>;

double score(const Hypothesis& h, const Options& options, Fault fault, std::int64_t eos) {
  auto length = static_cast<double>(h.y.size());
  if (fault == Fault::without_eos && h.y.back() == eos) length -= 1;
  if (fault == Fault::one_less) length -= 1;
  if (fault == Fault::no_penalty) return h.log_p;
  if (fault == Fault::by_length) return h.log_p / length;
  if (fault == Fault::whole_division) return h.log_p / std::pow(std::floor((5 + length) / 6), options.alpha);
  if (fault == Fault::power_of_length) return h.log_p / std::pow(length, options.alpha);
  const double lp = std::pow((5 + length) / 6, fault == Fault::fixed_alpha ? 0.6 : options.alpha);
  return fault == Fault::multiplied ? h.log_p * lp : h.log_p / lp;
}

Hypotheses children(const Hypothesis& h, const Model& model, const Options& options, Fault fault) {
  Tokens y = h.y;
  if (!y.empty() && y.back() == model.eos) y.pop_back();  // only with Fault::continues_finished
  const std::vector<double> log_p = model.log_p(y);
  Hypotheses all;
  const std::size_t tokens = log_p.size() - (fault == Fault::last_token_missing);
  for (std::size_t token = 0; token < tokens; ++token) {
    if (fault == Fault::never_empty && y.empty() && static_cast<std::int64_t>(token) == model.eos) continue;
    Hypothesis longer = h;
    longer.y.push_back(static_cast<std::int64_t>(token));
    if (fault != Fault::sum_without_eos || longer.y.back() != model.eos) longer.log_p += log_p[token];
    longer.score = score(longer, options, fault, model.eos);
    all.push_back(longer);
  }
  return all;
}

void keep(Hypotheses& list, std::int64_t n, Fault fault) {
  std::ranges::sort(list, [fault](const Hypothesis& a, const Hypothesis& b) {
    return fault == Fault::worst ? a.log_p < b.log_p : a.log_p > b.log_p;
  });
  list.resize(std::min(list.size(), static_cast<std::size_t>(std::max<std::int64_t>(n, 0))));
}

// The hypotheses that a step keeps, live or finished.
Hypotheses step(const Hypotheses& live, const Hypotheses& finished, const Model& model,
                const Options& options, Fault fault) {
  const std::int64_t K = fault == Fault::greedy  ? 1
                         : fault == Fault::wider ? options.width + 1
                         : fault == Fault::at_most_V
                             ? std::min<std::int64_t>(options.width, std::ssize(model.log_p({})))
                         : fault == Fault::shrinks ? options.width - std::ssize(finished)
                                                   : options.width;
  const bool of_each = fault == Fault::children_of_each || (fault == Fault::best_child && live.size() > 1);
  Hypotheses all;
  for (const Hypothesis& h : live) {
    Hypotheses own = children(h, model, options, fault);
    if (of_each) keep(own, fault == Fault::best_child ? 1 : K, fault);
    all.insert(all.end(), own.begin(), own.end());
  }
  if (fault == Fault::keeps_place) all.insert(all.end(), finished.begin(), finished.end());
  if (fault == Fault::only_live_counted || fault == Fault::live_besides) {
    Hypotheses kept;
    keep(all, std::ssize(all), fault);
    std::int64_t places = K;
    for (const Hypothesis& h : all) {
      const bool ends = h.y.back() == model.eos;
      if (places == 0 && fault == Fault::only_live_counted) break;
      if (ends || places > 0) kept.push_back(h);
      if (!ends) --places;
    }
    return kept;
  }
  if (fault == Fault::one_per_token) {
    keep(all, std::ssize(all), fault);
    Hypotheses different;
    for (const Hypothesis& h : all)
      if (std::ranges::none_of(different, [&](const Hypothesis& d) { return d.y.back() == h.y.back(); }))
        different.push_back(h);
    all = std::move(different);
  }
  if (fault == Fault::no_repetition)
    std::erase_if(all,
                  [](const Hypothesis& h) { return h.y.size() > 1 && h.y.back() == h.y[h.y.size() - 2]; });
  if (!of_each) keep(all, K, fault);
  return all;
}

double best_score(const Hypotheses& list) {
  return std::ranges::max(list, std::ranges::less(), &Hypothesis::score).score;
}

Hypothesis choose(Hypotheses finished, const Hypotheses& live, Fault fault) {
  if (fault == Fault::likeliest && !finished.empty())
    return std::ranges::max(finished, std::ranges::less(), &Hypothesis::log_p);
  if (fault == Fault::last_found && !finished.empty()) return finished.back();
  if (fault == Fault::live_first && !live.empty()) finished = {};
  if (fault == Fault::live_too || finished.empty()) finished.insert(finished.end(), live.begin(), live.end());
  if (finished.empty()) return {};
  if (fault == Fault::last_listed) return finished.back();
  if (fault == Fault::worst) return std::ranges::min(finished, std::ranges::less(), &Hypothesis::score);
  return std::ranges::max(finished, std::ranges::less(), &Hypothesis::score);
}

}  // namespace

Hypothesis beam(const Model& model, const Options& options, Fault fault) {
  Hypotheses live = {{}}, finished;
  const std::int64_t longest =
      options.max_length + (fault == Fault::one_longer) - (fault == Fault::one_shorter);
  for (std::int64_t t = 1; t <= longest && !live.empty(); ++t) {
    const Hypotheses kept = step(live, finished, model, options, fault);
    live.clear();
    if (fault == Fault::keeps_place || fault == Fault::last_step) finished.clear();
    for (const Hypothesis& h : kept) {
      const bool ends = h.y.back() == model.eos;
      if (ends) finished.push_back(h);
      if (!ends || fault == Fault::continues_finished) live.push_back(h);
    }
    if (fault == Fault::prunes) keep(finished, options.width, fault);
    if (fault == Fault::stops_at_K && std::ssize(finished) >= options.width) break;
    if (fault == Fault::first_finished && !finished.empty()) break;
    if (fault == Fault::early_bound && !finished.empty() && !live.empty() &&
        best_score(finished) >= best_score(live))
      break;
  }
  return choose(finished, live, fault);
}

Hypothesis exhaustive(const Model& model, double alpha, std::int64_t max_length) {
  const Options options{.width = 0, .alpha = alpha, .max_length = max_length};
  Hypotheses live = {{}};
  Hypothesis best;
  best.score = -std::numeric_limits<double>::infinity();
  for (std::int64_t t = 1; t <= max_length; ++t) {
    Hypotheses longer;
    for (const Hypothesis& h : live)
      for (const Hypothesis& child : children(h, model, options, Fault::none)) {
        if (child.y.back() != model.eos)
          longer.push_back(child);
        else if (child.score > best.score)
          best = child;
      }
    live = std::move(longer);
  }
  return best;
}

const std::vector<Known>& known() {
  const exercise::Mistake last_found{"last-found", "The result is the hypothesis that finished last.",
                                     "Compare the scores of all finished hypotheses."};
  static const std::vector<Known> list = {
      {Fault::greedy,
       {"greedy", "Only one hypothesis is kept: this is greedy decoding.",
        "Keep options.width of the continuations of each step."}},
      {Fault::no_penalty,
       {"no-penalty", "The score is the sum, without the length penalty.",
        "A sum falls with every token: compare ln p / lp."}},
      {Fault::likeliest,
       {"no-penalty", "The returned hypothesis has the largest sum, not the best score.",
        "A sum falls with every token: compare the scores."}},
      {Fault::by_length,
       {"by-length", "The sum is divided by |y|.", "lp(y) = ((5 + |y|) / 6)^α; α is options.alpha."}},
      {Fault::multiplied,
       {"multiplied", "The sum is multiplied by lp.", "ln p is negative: dividing it by lp > 1 raises it."}},
      {Fault::fixed_alpha, {"fixed-alpha", "α is always 0.6.", "Use options.alpha."}},
      {Fault::without_eos,
       {"length-without-eos", "|y| does not count EOS.", "|y| is y.size(), with EOS in it."}},
      {Fault::one_less, {"length-without-eos", "|y| is one too small.", "|y| is y.size(), with EOS in it."}},
      {Fault::sum_without_eos,
       {"sum-without-eos", "The sum does not contain ln p of EOS.",
        "How likely it is that the output ends here belongs to its probability."}},
      {Fault::best_child,
       {"best-child", "Every hypothesis keeps its own best continuation.",
        "Put the continuations of all hypotheses in one list, and cut it to K: one hypothesis may have "
        "several "
        "children, another none."}},
      {Fault::children_of_each,
       {"children-of-each", "Every hypothesis keeps its own K continuations.",
        "Put the continuations of all hypotheses in one list, and cut it to K."}},
      {Fault::keeps_place,
       {"keeps-place", "A finished hypothesis keeps its place in the beam, and loses it to a larger sum.",
        "Set it aside: it neither competes with later sums nor takes a place from them."}},
      {Fault::shrinks,
       {"shrinks", "Each finished hypothesis takes a place away for good.",
        "It takes a place only in the step in which it ends; the next step keeps K again."}},
      {Fault::only_live_counted,
       {"only-live-counted", "K live hypotheses are kept, whatever number ends.",
        "Cut the list to K first; those of the K that end in EOS are frozen."}},
      {Fault::live_besides,
       {"only-live-counted", "K live hypotheses are kept, and all that end besides.",
        "Cut the list to K first; those of the K that end in EOS are frozen."}},
      {Fault::whole_division,
       {"whole-division", "lp was computed with integers: (5 + |y|) / 6 is 1 for up to 6 tokens.",
        "Write 5.0 and 6.0: an integer divided by an integer drops the fraction."}},
      {Fault::power_of_length, {"by-length", "lp is |y|^α.", "lp(y) = ((5 + |y|) / 6)^α."}},
      {Fault::never_empty,
       {"never-empty", "EOS is not allowed as the first token.",
        "Continue the empty beginning with each of the V tokens, EOS included."}},
      {Fault::last_token_missing,
       {"last-token", "The last token of the vocabulary is never tried.",
        "The tokens are 0 … V − 1: continue with each of them."}},
      {Fault::first_finished,
       {"first-finished", "The result is the hypothesis that finishes first.",
        "A live one may still reach a better score: continue, and compare the scores at the end."}},
      {Fault::last_found, last_found},
      {Fault::last_listed, last_found},
      {Fault::one_per_token,
       {"one-per-token", "Only one of the continuations that end in the same token is kept.",
        "Hypotheses with the same last token are different: compare only their probabilities."}},
      {Fault::no_repetition,
       {"no-repetition", "The same token is not allowed twice in a row.",
        "Continue each hypothesis with each of the V tokens."}},
      {Fault::early_bound,
       {"early-bound", "The search stops as soon as the best hypothesis so far is finished.",
        "A live score can still rise, because lp grows: the bound is ln p / lp(max_length)."}},
      {Fault::live_too,
       {"live-too", "A hypothesis that is not finished is returned, although others are.",
        "Live hypotheses count only if none is finished."}},
      {Fault::live_first,
       {"live-too", "A hypothesis that is not finished is returned, although others are.",
        "Live hypotheses count only if none is finished."}},
      {Fault::prunes,
       {"prunes", "Only the K finished hypotheses with the largest sums are kept.",
        "Keep all finished ones, or those with the best scores: a long one may have a small sum and the best "
        "score."}},
      {Fault::stops_at_K,
       {"stops-at-K", "The search stops when K hypotheses are finished.",
        "A live one may still reach a better score: stop when none is live, or after max_length steps."}},
      {Fault::wider,
       {"one-wider", "K + 1 hypotheses are kept.", "Cut the list of continuations to options.width."}},
      {Fault::at_most_V,
       {"at-most-V", "At most V hypotheses are kept.",
        "From step 2 on there are more than V continuations: keep the K best of all."}},
      {Fault::worst, {"worst", "The least likely are kept.", "Sort by ln p, the largest first."}},
      {Fault::last_step,
       {"finished-dropped", "Hypotheses that finished in earlier steps are lost.",
        "The list of finished hypotheses lives outside the loop over t."}},
      {Fault::one_shorter,
       {"off-by-one", "Outputs have at most max_length − 1 tokens.",
        "EOS included, max_length tokens may be written."}},
      {Fault::one_longer,
       {"off-by-one", "Outputs may have max_length + 1 tokens.", "EOS is one of the max_length tokens."}},
  };
  return list;
}

const exercise::Mistake& mistake_of(Fault fault) {
  return std::ranges::find(known(), fault, &Known::fault)->mistake;
}

}  // namespace variants
