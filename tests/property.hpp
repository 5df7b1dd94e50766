#pragma once

#include <rapidcheck.h>
#include <sstream>
#include <utility>

#include "catch.hpp"

/// Checks a property with random arguments, a hundred times: a function of generated values that states what
/// holds of them with RC_ASSERT. Where it does not, the failure shows the smallest counterexample found, and
/// what to put in the environment to see it again. (rapidcheck's own header for Catch knows only Catch2 2.)
template <class Property>
void check_property(Property&& property) {
  const rc::detail::TestResult result = rc::detail::checkTestable(std::forward<Property>(property));
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  INFO(text.str());
  INFO("to repeat: RC_PARAMS=\"" << rc::detail::configToMinimalString(rc::detail::configuration()) << '"');
  CHECK(result.template is<rc::detail::SuccessResult>());
}
