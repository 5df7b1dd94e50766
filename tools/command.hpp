#pragma once

#include <gradus/models/model.hpp>

#include <exception>
#include <functional>
#include <string>

namespace CLI {
class App;  // its header takes the compiler seconds
}

namespace gradus::tools {

/// The subcommands: each reads its own part of the command line, from its name on, and returns the exit code.
using Command = int (*)(int argc, char** argv, const models::Registry& registry);
int train(int argc, char** argv, const models::Registry& registry);
int translate(int argc, char** argv, const models::Registry& registry);
int evaluate(int argc, char** argv, const models::Registry& registry);
int align(int argc, char** argv, const models::Registry& registry);
int gradcheck(int argc, char** argv, const models::Registry& registry);
int info(int argc, char** argv, const models::Registry& registry);
int convert(int argc, char** argv, const models::Registry& registry);

/// The program as its user called it, for lines to be typed again: "gradus", or "./run gradus"; a learner's
/// own has another name.
const std::string& program();
void set_program(std::string name);

/// Parses the command line into the app's options and runs `body`, whose result is the exit code. Messages
/// are one line on standard error: 2 when the command line is wrong, or the body
/// throws a UsageError, 1 when the body throws.
int run_command(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

/// Writes what ended the command, and returns the exit code for that.
int failed(const CLI::App& app, const std::exception& error);

}  // namespace gradus::tools
