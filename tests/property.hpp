#pragma once

#include <rapidcheck.h>
#include <sstream>
#include <string>
#include <utility>

#include "catch.hpp"

/// Tests the property with a hundred random arguments. Returns "" if the property holds for all of them.
/// Otherwise returns a text: the smallest counterexample, and the environment variable that repeats the test.
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

/// Fails the test case if the property does not hold. The property is a function that draws values with
/// `*generator` and tests them with RC_ASSERT. (RapidCheck's own header for Catch does not support Catch2
/// version 3.)
template <class Property>
void check_property(Property&& property) {
  const std::string failure = counterexample(std::forward<Property>(property));
  INFO(failure);
  CHECK(failure.empty());
}
