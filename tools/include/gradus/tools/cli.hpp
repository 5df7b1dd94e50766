#pragma once

#include <gradus/models/model.hpp>

#pragma GCC visibility push(default)
namespace gradus::tools {

/// Runs the `gradus` command (`gradus --help` lists the subcommands). To use the command with your own
/// attentions and decoders, register them and call cli_main() from your program:
///
///     int main(int argc, char** argv) {
///       gradus::models::Registry registry = gradus::models::Registry::standard();
///       registry.attentions["mine"] = {[](const gradus::models::AttentionSizes& sizes) { … }};
///       return gradus::tools::cli_main(argc, argv, registry);
///     }
///
/// Returns the exit code: 0 for success, 1 if the command failed or training was interrupted, 2 if the
/// command line is wrong. An error message is one line on standard error.
int cli_main(int argc, char** argv, const models::Registry& registry = models::Registry::standard());

}  // namespace gradus::tools
#pragma GCC visibility pop
