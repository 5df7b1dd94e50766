#include <gradus/message.hpp>
#include <gradus/tools/cli.hpp>
#include <gradus/version.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "commands/nearest.hpp"
#include "commands/run_command.hpp"
#include "files/output_file.hpp"
#include "settings/printable.hpp"
#include "settings/program.hpp"

namespace gradus::tools {
namespace {

constexpr std::array entries{
    Entry{"train", train, "trains a model on a task, phrases, text or recordings"},
    Entry{"translate", translate, "translates sentences"},
    Entry{"serve", serve, "answers requests for translations over HTTP"},
    Entry{"evaluate", evaluate, "measures a model on held-out pairs: BLEU, perplexity, exact match"},
    Entry{"score", score, "gives the log-probability of each pair of sentences, or of each token"},
    Entry{"align", align, "shows the attention weights for each target token"},
    Entry{"gradcheck", gradcheck, "checks the gradients of a model against finite differences"},
    Entry{"info", info, "describes a checkpoint or another safetensors file"},
    Entry{"convert", convert, "exchanges weights with PyTorch, as safetensors files"},
    Entry{"compress", compress, "makes a model smaller: int8 or bf16, pruning, fewer units or words"},
    Entry{"export", export_tiny, "writes an int8 model for gradus_tiny, a program of one C file"},
    Entry{"features", features, "computes log-mel features of a WAV file, as .npy"},
    Entry{"completion", completion, "prints a script that completes commands and options in a shell"},
};

std::string help_text() {
  std::ostringstream out;
  out << "usage: gradus COMMAND [OPTIONS]\n\n";
  for (const Entry& entry : entries) {
    out << "  " << entry.name << std::string(12 - entry.name.size(), ' ') << entry.help << '\n';
  }
  out << "\n'gradus help COMMAND' lists the options of a command, 'gradus --version' prints the version. "
         "Examples:\n\n"
         "  gradus train --phrases eng-fra --out out/phrases       # a small model of English and French "
         "phrases\n"
         "  echo 'where is the red book?' | gradus translate --model out/phrases\n"
         "  gradus align --model out/phrases --text 'where is the red book?'\n";
  return out.str();
}

int unexpected(std::string_view argument, const std::string& after) {
  std::cerr << "gradus: unexpected argument '" << excerpt(argument) << "' after " << after << "; omit it\n";
  return 2;
}

// Prints the text of --help or --version.
int print(const std::string& text) {
  try {
    std::cout << text;
    flush_standard_output();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "gradus: " << error.what() << '\n';
    return 1;
  }
}

// Returns the command with this name. For an unknown name, reports it and returns null.
const Entry* find(std::string_view name) {
  const auto* const found = std::ranges::find(entries, name, &Entry::name);
  if (found != entries.end()) return found;
  std::vector<std::string> names{"help", "--help", "--version"};
  for (const Entry& entry : entries) names.emplace_back(entry.name);
  const std::string near = nearest(name, names);
  std::cerr << "gradus: unknown command '" << printable(name) << "'; "
            << (near.empty() ? "'gradus --help' lists the commands" : "did you mean " + near + '?') << '\n';
  return nullptr;
}

int help_of(std::string name, const models::Registry& registry) {
  const Entry* const found = find(name);
  std::string help = "--help";
  std::array<char*, 2> argv{name.data(), help.data()};
  return found == nullptr ? 2 : found->run(static_cast<int>(argv.size()), argv.data(), registry);
}

}  // namespace

std::span<const Entry> commands() { return entries; }

int cli_main(int argc, char** argv, const models::Registry& registry) {
  std::ios::sync_with_stdio(false);  // lets std::cin see how much a pipe holds, see LineReader
  std::signal(SIGXFSZ, SIG_IGN);     // report the file-size limit as a write error instead of being killed
  if (argc > 0) set_program(argv[0]);
  const std::string_view name = argc > 1 ? argv[1] : "--help";
  const std::vector<std::string_view> more(argv + std::min(argc, 2), argv + argc);
  if (name == "--version") {
    return more.empty() ? print(message("gradus ", version(), '\n')) : unexpected(more[0], "--version");
  }
  if (name == "--help" || name == "-h" || name == "help") {
    if (more.size() > 1) return unexpected(more[1], message(name, ' ', more[0]));
    if (more.empty() || more[0] == "help") return print(help_text());
    return help_of(std::string(more[0]), registry);
  }
  const Entry* const found = find(name);
  return found == nullptr ? 2 : found->run(argc - 1, argv + 1, registry);
}

}  // namespace gradus::tools
