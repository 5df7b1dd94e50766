#pragma once

#include <functional>

#include "kit/check.hpp"
#include "search.hpp"

/// The answer to exercise 17: the best output that a beam of K hypotheses finds.
using BeamSearch = std::function<search::Hypothesis(const search::Model&, const search::Options&)>;

exercise::Exercise beam_search_exercise(const BeamSearch& answer);
