#include "training.hpp"

#include <gradus/models/greedy.hpp>
#include <gradus/plot/terminal.hpp>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <regex>
#include <sstream>
#include <unistd.h>

#include "expect.hpp"
#include "support/page/table.hpp"
#include "support/pictures/alignment.hpp"
#include "support/training/reversal.hpp"

namespace exercise {

namespace {

gradus::data::Reversal made(const Reversals& task) {
  return gradus::data::Reversal(task.symbols, task.shortest, task.longest);
}

}  // namespace

std::int64_t vocabulary_of(const Reversals& task) { return made(task).vocabulary_size(); }

std::unique_ptr<gradus::models::Seq2Seq> bahdanau_with(const MakeAttention& attention,
                                                       const Reversals& task) {
  gradus::models::Registry registry = gradus::models::Registry::standard();
  registry.attentions["yours"] = {attention};
  const std::int64_t vocabulary = vocabulary_of(task);
  return gradus::models::make_model({.attention = "yours"}, {vocabulary, vocabulary}, registry);
}

ByLength train_on_reversals(const std::string& label, gradus::models::Seq2Seq& model, const Reversals& task) {
  const gradus::data::Reversal reversal = made(task);
  ByLength measured{.label = label, .lengths = {}, .exact = {}, .seconds = 0};
  measured.seconds =
      tutorial::train(label, model, tutorial::training_batches(reversal, task.seed), {.steps = task.steps})
          .seconds;
  measured.lengths = tutorial::range(task.shortest, task.longest);
  for (const auto& [length, score] : tutorial::measure(model, reversal, measured.lengths)) {
    measured.exact.push_back(score.exact.fraction());
  }
  return measured;
}

void print(const ByLength& measured) {
  std::cout << "    " << measured.label << ", trained in " << tutorial::decimals(measured.seconds, 1)
            << " s\n";
  for (std::size_t i = 0; i < measured.lengths.size(); ++i) {
    std::cout << "    length " << std::setw(2) << measured.lengths[i] << "   exact match "
              << tutorial::decimals(measured.exact[i]) << '\n';
  }
}

std::string beside(const std::string& left, const std::string& right) {
  const auto lines = [](const std::string& text) {
    std::vector<std::string> list;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) list.push_back(line);
    return list;
  };
  // The number of characters of a line in UTF-8, without escape codes.
  const auto columns = [](const std::string& line) {
    const std::string plain = std::regex_replace(line, std::regex("\x1b\\[[0-9;]*m"), "");
    return std::count_if(plain.begin(), plain.end(), [](char c) { return (c & 0xC0) != 0x80; });
  };
  const std::vector<std::string> a = lines(left), b = lines(right);
  std::ptrdiff_t width = 0;
  for (const std::string& line : a) width = std::max(width, columns(line));
  std::string out;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string line = i < a.size() ? a[i] : "";
    out += "    " + line;
    if (i < b.size()) out += std::string(static_cast<std::size_t>(width - columns(line)) + 4, ' ') + b[i];
    out += '\n';
  }
  return out;
}

void show_beside_library(const gradus::models::Seq2Seq& yours, const Reversals& task) {
  const gradus::data::Reversal reversal = made(task);
  const std::int64_t vocabulary = vocabulary_of(task);
  const auto library = gradus::models::make_model({}, {vocabulary, vocabulary});
  tutorial::train("the library's model", *library, tutorial::training_batches(reversal, task.seed),
                  {.steps = std::min<std::int64_t>(task.steps, 300)});  // enough for a visible anti-diagonal
  library->eval();
  gradus::Generator generator(task.seed);
  const std::vector<gradus::data::Pair> pair = tutorial::held_out(reversal, task.longest, 1, generator);
  const auto picture = [&](const std::string& title, const gradus::models::Seq2Seq& model) {
    return gradus::plot::terminal(
        tutorial::alignment_map(title, gradus::models::greedy(model, pair)[0], pair[0].source, reversal),
        gradus::plot::colour_of(STDOUT_FILENO));
  };
  std::cout << "\n    where each step attends in " << reversal.text(pair[0].source) << ":\n\n"
            << beside(picture("yours", yours), picture("the library's Bahdanau decoder", *library)) << '\n';
}

void expect_learnt(const ByLength& measured, double least, const Mistake& mistake) {
  const auto worst = std::min_element(measured.exact.begin(), measured.exact.end());
  if (*worst >= least) return;
  const std::int64_t length = measured.lengths[static_cast<std::size_t>(worst - measured.exact.begin())];
  throw Finding{
      .mistake = mistake.name.empty()
                     ? Mistake{"does-not-learn", "",
                               "All earlier stages passed, but they do not cover everything: check the "
                               "gradient of every parameter, and the state carried from step to step."}
                     : mistake,
      .says = "The model does not learn to reverse.",
      .where = "length " + std::to_string(length),
      .got = "exact match " + tutorial::decimals(*worst),
      .expected = "at least " + tutorial::decimals(least)};
}

}  // namespace exercise
