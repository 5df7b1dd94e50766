// The `gradus` command with what the library has. A program that adds attentions and decoders of its own to
// the registry has the whole command for them.

#include <gradus/tools/cli.hpp>

int main(int argc, char** argv) { return gradus::tools::cli_main(argc, argv); }
