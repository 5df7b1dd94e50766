#include "training/job.hpp"

#include <gradus/autograd/scope.hpp>
#include <gradus/data/hash.hpp>
#include <gradus/models/checkpoint.hpp>

#include <sstream>

#include "files/run_folder.hpp"

namespace gradus::tools {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::vector<Fact> facts_of_program() {
  std::vector<Fact> facts;
  for (const models::Circumstance& circumstance : models::circumstances()) {
    facts.push_back({circumstance.words, circumstance.now});
  }
  facts.push_back(
      {"the program's file", std::to_string(data::stable_hash(content_if_there("/proc/self/exe")))});
  return facts;
}

std::vector<Fact> facts_of_options(const Settings& settings) {
  std::vector<Fact> facts;
  for (const std::string& line : lines_of(to_text(settings))) {
    const std::size_t equals = line.find('=');
    if (equals == line.npos || line.starts_with("out=")) continue;
    facts.push_back({"--" + line.substr(0, equals), line.substr(equals + 1)});
  }
  return facts;
}

void check_agree(distributed::Communicator& processes, const std::vector<Fact>& facts) {
  std::string text;
  for (const Fact& fact : facts) text += fact.value + '\n';
  const std::vector<std::string> all = distributed::gather(processes, text);
  const std::vector<std::string> first = lines_of(all.front());
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    const std::vector<std::string> other = lines_of(all[rank]);
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (other.size() == first.size() && other[i] == first[i]) continue;
      fail("train", "process ", rank, " differs from process 0 in ", facts[i].what, ": ",
           i < other.size() ? other[i] : "none", " instead of ", i < first.size() ? first[i] : "none",
           "; start all processes with the same program, options and files");
    }
  }
}

}  // namespace gradus::tools
