#pragma once

#include <rapidcheck.h>
#include <sstream>
#include <string>
#include <utility>

#include "catch.hpp"

/// Where a property does not hold: the smallest counterexample found, and what to put in the environment to
/// see it again. Empty when it holds of a hundred random arguments.
template <class Property>
std::string counterexample(Property&& property) {
  const rc::detail::TestResult result = rc::detail::checkTestable(std::forward<Property>(property));
  if (result.template is<rc::detail::SuccessResult>()) return "";
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  text << "\nto repeat: RC_PARAMS=\"" << rc::detail::configToMinimalString(rc::detail::configuration())
       << '"';
  return text.str();
}

/// Checks a property: a function that draws random values with `*generator`, and states what holds of them
/// with RC_ASSERT. (RapidCheck's own header for Catch knows only Catch2 2.)
template <class Property>
void check_property(Property&& property) {
  const std::string failure = counterexample(std::forward<Property>(property));
  INFO(failure);
  CHECK(failure.empty());
}
