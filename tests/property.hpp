#pragma once

#include <rapidcheck.h>
#include <sstream>
#include <string>
#include <utility>

#include "catch.hpp"

/// Tests the property with a hundred random arguments. Returns a description of the smallest counterexample
/// and of the environment variable that repeats it. Returns "" if there is no counterexample.
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

/// Checks a property: a function that draws values with `*generator` and tests them with RC_ASSERT.
/// (RapidCheck's own header for Catch only supports Catch2 version 2.)
template <class Property>
void check_property(Property&& property) {
  const std::string failure = counterexample(std::forward<Property>(property));
  INFO(failure);
  CHECK(failure.empty());
}
