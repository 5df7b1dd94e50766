#pragma once

#include <gradus/distributed/communicator.hpp>

#include <string>
#include <vector>

#include "settings/settings.hpp"

namespace gradus::tools {

/// A property that must be equal in all processes of a run. The value has no line break.
struct Fact {
  std::string what, value;
};

/// models::circumstances(), and a hash of the program's file.
std::vector<Fact> facts_of_program();
/// Every option of the run, except its folder.
std::vector<Fact> facts_of_options(const Settings& settings);

/// Compares the facts of all processes. All processes must call this function, with the same number of facts.
/// @throws Error in every process if a fact differs. The message names the first process that differs from
/// process 0, and the first fact in which it differs.
void check_agree(distributed::Communicator& processes, const std::vector<Fact>& facts);

}  // namespace gradus::tools
