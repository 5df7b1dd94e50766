// The `gradus` command with the library's own attentions and decoders. A program of your own can pass
// cli_main() a registry with more of them.

#include <gradus/tools/cli.hpp>

int main(int argc, char** argv) { return gradus::tools::cli_main(argc, argv); }
