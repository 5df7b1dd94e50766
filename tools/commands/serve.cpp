#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/parallel.hpp>
#include <gradus/data/text_lines.hpp>
#include <gradus/message.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cctype>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "commands/run_command.hpp"
#include "serving/address.hpp"
#include "serving/server.hpp"
#include "serving/signals.hpp"
#include "settings/printable.hpp"
#include "settings/ranges.hpp"
#include "settings/search_options.hpp"
#include "settings/usage_error.hpp"

namespace gradus::tools {
namespace {

struct Options {
  std::vector<std::string> models;
  ServerOptions server;
  ServiceOptions service;
  std::string token_file;
  std::int64_t port = 8000, threads = 0, cache = 0, connections = 128, most_body = 1 << 20,
               client_seconds = 10, seconds = 30;
};

constexpr const char* examples =
    "Answers POST /translate, POST /align, GET /models, /languages, /health and /metrics, and shows a page "
    "at /; the\n"
    "API is described at /openapi.json. Prints a line of JSON per request. SIGTERM finishes the requests "
    "that run and\n"
    "ends; SIGHUP loads the models again.\n\n"
    "  gradus serve --model out/phrases\n"
    "  gradus serve --model eng-fra=out/phrases --port 9000\n"
    "  gradus serve --model out/phrases --host 0.0.0.0 --token-file token.txt";

void add_options(CLI::App& app, Options& options) {
  app.add_option(
         "--model", options.models,
         "the folder of a run of gradus train, or a checkpoint; NAME=RUN gives it a name, such as eng-fra; "
         "repeat for several models")
      ->type_name("RUN")
      ->required()
      ->allow_extra_args(false);
  app.add_option("--token-file", options.token_file, "file whose first line clients must send as their token")
      ->type_name("FILE");
  app.add_option("--allow-origin", options.server.allowed_origin,
                 "origin whose pages may call the server (CORS)")
      ->type_name("ORIGIN");
  app.option_defaults()->always_capture_default();
  app.add_option("--host", options.server.host,
                 "address to listen on; others than this machine's own need a token")
      ->type_name("ADDRESS");
  app.add_option("--port", options.port, "port to listen on [0: any free one]")
      ->type_name("N")
      ->transform(between(0, 65535));
  app.add_option("--threads", options.threads, "threads that decode [0: one per core, at most 16]")
      ->type_name("N")
      ->transform(between(0, 256));
  app.add_option("--cache", options.cache,
                 "memory per model for the annotations of texts seen before, MB [0: none]")
      ->type_name("N")
      ->transform(between(0, 1000000));
  add_top_k_attention(app, options.service.attention_top_k);
  app.option_defaults()->group("Limits");
  app.add_option("--max-body", options.most_body, "bytes of a request's body")
      ->type_name("N")
      ->transform(between(1, 1 << 30));
  app.add_option("--max-texts", options.service.limits.texts, "texts of a request")
      ->type_name("N")
      ->transform(between(1, 1000000));
  app.add_option("--max-tokens", options.service.limits.tokens, "tokens of a text, and of a translation")
      ->type_name("N")
      ->transform(between(1, 1000000));
  app.add_option("--max-beam", options.service.limits.beam, "width of a beam")
      ->type_name("N")
      ->transform(between(1, 1000));
  app.add_option("--max-waiting", options.service.scheduler.most_waiting,
                 "texts that wait to be translated; more are refused with status 429")
      ->type_name("N")
      ->transform(between(1, 1000000));
  app.add_option("--max-batch", options.service.scheduler.most_rows, "hypotheses that are decoded together")
      ->type_name("N")
      ->transform(between(1, 100000));
  app.add_option("--max-seconds", options.seconds, "time for a request")
      ->type_name("N")
      ->transform(between(1, 86400));
  app.add_option("--connections", options.connections, "connections served at the same time")
      ->type_name("N")
      ->transform(between(1, 10000));
  app.add_option("--client-seconds", options.client_seconds,
                 "time for a client to send a request, and to read the answer")
      ->type_name("N")
      ->transform(between(1, 3600));
}

// Splits NAME=RUN. Without NAME, the name is the last part of the path.
std::pair<std::string, std::string> name_and_path(const std::string& given) {
  const auto equals = given.find('=');
  if (equals != std::string::npos) return {given.substr(0, equals), given.substr(equals + 1)};
  auto folder = std::filesystem::path(given).lexically_normal();
  if (folder.filename().empty()) folder = folder.parent_path();
  return {folder.filename().string(), given};
}

void name_models(Options& options) {
  std::set<std::string> names;
  for (const std::string& given : options.models) {
    const auto [name, path] = name_and_path(given);
    const auto allowed = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    };
    if (name.empty() || !std::ranges::all_of(name, allowed)) {
      throw UsageError("--model: the name '" + name +
                       "' must consist of letters, digits, - _ and .; give --model NAME=RUN");
    }
    if (path.empty())
      throw UsageError("--model: no path follows '" + excerpt(given) + "'; give --model NAME=RUN");
    if (!names.insert(name).second) {
      throw UsageError("--model: two models have the name '" + name + "'; give --model NAME=RUN");
    }
    options.service.models.emplace_back(name, path);
  }
}

void read_token(Options& options) {
  const bool is_local = options.server.host == "127.0.0.1" || options.server.host == "localhost" ||
                        options.server.host == "::1";
  check_address(options.server.host);
  if (options.token_file.empty()) {
    if (is_local) return;
    throw UsageError("--host " + options.server.host +
                     ": other machines can reach this address; add --token-file FILE");
  }
  constexpr std::size_t least = 16, most = 1000;  // clients send the token in one line of a request
  std::string& token = options.server.token;
  data::TextLines("read_token", options.token_file).next(token);
  if (least <= token.size() && token.size() <= most) return;
  throw UsageError(message("--token-file: the first line of '", options.token_file, "' must be a token of ",
                           least, " to ", most, " characters, and has ", token.size(),
                           "; write another token"));
}

// Limits glibc's malloc to few heaps. By default malloc has eight heaps per core, and each heap keeps the
// memory of its largest answer.
void limit_heaps() {
#ifdef __GLIBC__
  constexpr int heaps = 4;
  ::mallopt(M_ARENA_MAX, heaps);
#endif
}

int run(Options& options, const models::Registry& registry) {
  if (!has_http()) {
    throw UsageError(
        "this gradus was built without an HTTP library; install libcpp-httplib-dev and build gradus again "
        "with cmake "
        "--fresh");
  }
  name_models(options);
  read_token(options);
  const int threads = options.threads > 0 ? static_cast<int>(options.threads) : gradus::threads();
  set_threads(1);  // each worker of the scheduler computes on one thread
  limit_heaps();
  options.service.scheduler.workers = threads;
  options.service.scheduler.cache_bytes = options.cache * 1000000;
  options.service.most_time = std::chrono::seconds(options.seconds);
  options.server.port = static_cast<int>(options.port);
  options.server.connections = static_cast<int>(options.connections);
  options.server.most_body = static_cast<std::size_t>(options.most_body);
  options.server.seconds = static_cast<int>(options.client_seconds);
  std::signal(SIGPIPE, SIG_IGN);
  Signals signals;
  Service service(options.service, registry);
  Server server(service, options.server);
  const int port = server.bind();
  std::cerr << "listening on http://" << options.server.host << ':' << port << '\n';
  std::atomic<bool> stops = false, failed = false;
  std::thread serving([&] {
    server.run();
    if (stops) return;
    failed = true;  // accept() failed, for example because the system has too many open files
    std::raise(SIGTERM);
  });
  while (signals.next() == SIGHUP) {
    try {
      service.reload();
      std::cerr << "loaded the models again\n";
    } catch (const std::exception& error) {
      std::cerr << "the models stay as they were: " << error.what() << '\n';
    }
  }
  stops = true;
  server.stop();
  serving.join();
  if (failed) fail("serve", "no more connections can be accepted; start the server again");
  return 0;
}

}  // namespace

int serve(int argc, char** argv, const models::Registry& registry) {
  CLI::App app("Answers requests for translations over HTTP.", "gradus serve");
  app.footer(examples);
  Options options;
  add_options(app, options);
  return run_command(app, argc, argv, [&] { return run(options, registry); });
}

}  // namespace gradus::tools
