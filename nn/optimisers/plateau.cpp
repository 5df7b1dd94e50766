#include <gradus/autograd/scope.hpp>
#include <gradus/nn/plateau.hpp>
#include <gradus/nn/state_reader.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "optimisers/rule_checks.hpp"

namespace gradus::nn {

PlateauDetector::PlateauDetector(PlateauOptions options)
    : options_(options),
      best_(options.better == Better::lower ? std::numeric_limits<double>::infinity()
                                            : -std::numeric_limits<double>::infinity()) {
  check_decay("Plateau", "the factor", options.factor);
  check_not_negative("Plateau", "patience", static_cast<double>(options.patience));
  check_not_negative("Plateau", "the threshold", options.threshold);
  check_not_negative("Plateau", "cooldown", static_cast<double>(options.cooldown));
  check_not_negative("Plateau", "the minimum", options.minimum);
}

bool PlateauDetector::is_better(double metric) const {
  const double gain = options_.better == Better::lower ? best_ - metric : metric - best_;
  return gain > (std::isfinite(best_) ? options_.threshold * std::abs(best_) : 0);
}

bool PlateauDetector::step(double metric) {
  if (is_better(metric)) {
    best_ = metric;
    bad_ = 0;
  } else {
    ++bad_;
  }
  if (cooldown_ > 0) {
    --cooldown_;
    bad_ = 0;
  }
  if (bad_ <= options_.patience) return false;
  cooldown_ = options_.cooldown;
  bad_ = 0;
  return true;
}

double PlateauDetector::reduced(double rate) const {
  return std::min(rate, std::max(rate * options_.factor, options_.minimum));
}

NamedTensors PlateauDetector::state() const {
  return {{"best", full({}, best_, Dtype::f64)},
          {"bad", tensor(std::vector{bad_}, {})},
          {"cooldown", tensor(std::vector{cooldown_}, {})}};
}

void PlateauDetector::load_state(const NamedTensors& state) {
  StateReader reader(state);
  const double best = reader.number("best");
  const std::int64_t bad = reader.count("bad"), cooldown = reader.count("cooldown");
  reader.finish("Plateau", "load the state of a Plateau");
  if (std::isnan(best)) fail("Plateau", "'best' is nan, so no metric could be better; nothing was loaded");
  best_ = best;
  bad_ = bad;
  cooldown_ = cooldown;
}

bool Plateau::step(double metric) {
  if (!detector_.step(metric)) return false;
  bool reduced = false;
  for (std::size_t group = 0; group < optimiser_.group_count(); ++group) {
    const double rate = optimiser_.learning_rate(group), lower = detector_.reduced(rate);
    if (lower >= rate) continue;
    optimiser_.set_learning_rate(group, lower);
    reduced = true;
  }
  return reduced;
}

}  // namespace gradus::nn
