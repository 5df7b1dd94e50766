#pragma once

#include <gradus/models/model.hpp>

#include <exception>
#include <functional>
#include <span>
#include <string_view>

namespace CLI {
class App;  // forward declaration: CLI11's header is slow to compile
}

namespace gradus::tools {

/// Runs a subcommand and returns its exit code. argv[0] is the subcommand's name.
using Command = int (*)(int argc, char** argv, const models::Registry& registry);
int train(int argc, char** argv, const models::Registry& registry);
int translate(int argc, char** argv, const models::Registry& registry);
int evaluate(int argc, char** argv, const models::Registry& registry);
int score(int argc, char** argv, const models::Registry& registry);
int serve(int argc, char** argv, const models::Registry& registry);
int align(int argc, char** argv, const models::Registry& registry);
int gradcheck(int argc, char** argv, const models::Registry& registry);
int info(int argc, char** argv, const models::Registry& registry);
int convert(int argc, char** argv, const models::Registry& registry);
int compress(int argc, char** argv, const models::Registry& registry);
int export_tiny(int argc, char** argv, const models::Registry& registry);
int features(int argc, char** argv, const models::Registry& registry);
int completion(int argc, char** argv, const models::Registry& registry);

/// A subcommand and its line in the help.
struct Entry {
  std::string_view name;
  Command run;
  std::string_view help;
};

/// All subcommands, in the order of the help.
std::span<const Entry> commands();

/// Calls `visit` with the subcommand's options. Does not run the subcommand.
void visit_options(const Entry& entry, const models::Registry& registry,
                   const std::function<void(const CLI::App&)>& visit);

/// Parses the command line and runs `body`. Error messages are one line on standard error. Returns
///   - the result of `body`,
///   - 0 after --help,
///   - 2 if an option on the command line or in the --config file is wrong, or `body` throws a UsageError,
///   - 1 if the --config file cannot be read, or `body` throws anything else.
int run_command(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

/// Writes the error to standard error and returns exit code 1.
int failed(const CLI::App& app, const std::exception& error);

}  // namespace gradus::tools
