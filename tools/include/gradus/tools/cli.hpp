#pragma once

#include <gradus/models/model.hpp>

#pragma GCC visibility push(default)
namespace gradus::tools {

/// The `gradus` command: `gradus train`, `translate` and so on, as `gradus --help` says. A program of one's
/// own that calls it has the whole command for the attentions and decoders that its registry adds:
///
///     int main(int argc, char** argv) {
///       gradus::models::Registry registry = gradus::models::Registry::standard();
///       registry.attentions["mine"] = [](const gradus::models::AttentionSizes& sizes) { … };
///       return gradus::tools::cli_main(argc, argv, registry);
///     }
///
/// Returns the exit code: 0; 1 when the run failed, with one line on standard error; 2 when the command line
/// is wrong, likewise.
int cli_main(int argc, char** argv, const models::Registry& registry = models::Registry::standard());

}  // namespace gradus::tools
#pragma GCC visibility pop
