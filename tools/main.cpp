// The `gradus` command with the built-in attentions and decoders. To add your own, call cli_main() with a
// registry that contains them.

#include <gradus/tools/cli.hpp>

int main(int argc, char** argv) { return gradus::tools::cli_main(argc, argv); }
