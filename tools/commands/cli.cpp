#include <gradus/tools/cli.hpp>
#include <gradus/version.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <iostream>
#include <string_view>

#include "commands/command.hpp"
#include "settings/printable.hpp"
#include "settings/program.hpp"

namespace gradus::tools {
namespace {

struct Entry {
  std::string_view name;
  Command run;
  std::string_view help;
};

constexpr std::array commands{
    Entry{"train", train, "trains a model on a task or on pairs of sentences"},
    Entry{"translate", translate, "translates sentences"},
    Entry{"evaluate", evaluate, "measures a model on held-out pairs: BLEU, perplexity, exact match"},
    Entry{"align", align, "shows the attention weights for each target token"},
    Entry{"gradcheck", gradcheck, "checks the gradients of a model against finite differences"},
    Entry{"info", info, "describes a checkpoint or another safetensors file"},
    Entry{"convert", convert, "exchanges weights with PyTorch, as safetensors files"},
};

void print_help(std::ostream& out) {
  out << "usage: gradus COMMAND [OPTIONS]\n\n";
  for (const Entry& entry : commands) {
    out << "  " << entry.name << std::string(12 - entry.name.size(), ' ') << entry.help << '\n';
  }
  out << "\n'gradus COMMAND --help' lists the options of a command. Examples:\n\n"
         "  gradus train --phrases eng-fra --out out/phrases       # a small model of English and French "
         "phrases\n"
         "  echo 'where is the red book?' | gradus translate --model out/phrases\n"
         "  gradus align --model out/phrases --text 'where is the red book?'\n";
}

}  // namespace

int cli_main(int argc, char** argv, const models::Registry& registry) {
  std::signal(SIGXFSZ, SIG_IGN);  // report the file-size limit as a write error instead of being killed
  if (argc > 0) set_program(argv[0]);
  const std::string_view name = argc > 1 ? argv[1] : "--help";
  if (name == "--help" || name == "-h" || name == "help") {
    print_help(std::cout);
    return 0;
  }
  if (name == "--version") {
    std::cout << "gradus " << version() << '\n';
    return 0;
  }
  const auto found = std::ranges::find(commands, name, &Entry::name);
  if (found == commands.end()) {
    std::cerr << "gradus: unknown command '" << printable(name) << "'; 'gradus --help' lists the commands\n";
    return 2;
  }
  return found->run(argc - 1, argv + 1, registry);
}

}  // namespace gradus::tools
