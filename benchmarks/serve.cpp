// bench_serve: translates the lines of a file over HTTP, with several clients. Each client has its own
// connection and sends one request after another. benchmarks/serve.py starts the server and this program.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <httplib.h>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string file;
  int port = 8000;
  std::size_t clients = 1, requests = 0;  // 0 requests: one request per line
};

struct Answer {
  std::string text;
  double seconds = 0;
};

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  if (lines.empty()) throw std::runtime_error("'" + path + "' has no lines");
  return lines;
}

Answer ask(httplib::Client& client, const std::string& line) {
  const std::string body = Json{{"q", line}}.dump();
  const auto start = Clock::now();
  const auto found = client.Post("/translate", body, "application/json");
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!found) throw std::runtime_error("no answer: " + httplib::to_string(found.error()));
  if (found->status != 200) {
    throw std::runtime_error("status " + std::to_string(found->status) + ": " + found->body);
  }
  return {Json::parse(found->body)["translatedText"].get<std::string>(), seconds};
}

// Returns the answers in the order of the requests. Request i asks for line i; after the last line, the first
// one follows. Each client repeatedly takes the next request that no client has taken.
std::vector<Answer> ask_all(const Options& options, const std::vector<std::string>& lines) {
  std::vector<Answer> answers(options.requests > 0 ? options.requests : lines.size());
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::string failure;
  std::vector<std::thread> threads;
  for (std::size_t c = 0; c < options.clients; ++c) {
    threads.emplace_back([&] {
      httplib::Client client("127.0.0.1", options.port);
      client.set_keep_alive(true);
      client.set_tcp_nodelay(true);
      client.set_read_timeout(60);
      try {
        for (std::size_t i = next++; i < answers.size(); i = next++) {
          answers[i] = ask(client, lines[i % lines.size()]);
        }
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        failure = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (!failure.empty()) throw std::runtime_error(failure);
  return answers;
}

// A quantile: the smallest time such that at least `share` of the answers took no longer.
double quantile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

// The CPU time that this process has used.
double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

Json measured(const Options& options) {
  const std::vector<std::string> lines = lines_of(options.file);
  const auto start = Clock::now();
  const std::vector<Answer> answers = ask_all(options, lines);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::vector<double> times;
  Json texts = Json::array();
  for (const Answer& answer : answers) {
    times.push_back(answer.seconds);
    texts.push_back(answer.text);
  }
  std::ranges::sort(times);
  return {{"clients", options.clients},
          {"requests", answers.size()},
          {"rate", static_cast<double>(answers.size()) / seconds},
          {"client_cpu", cpu_seconds() / seconds / std::thread::hardware_concurrency()},
          {"p50", quantile(times, 0.5)},
          {"p99", quantile(times, 0.99)},
          {"texts", std::move(texts)}};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures gradus serve: rate and latencies, as JSON.");
  Options options;
  app.add_option("--file", options.file, "lines to translate")->required();
  app.add_option("--port", options.port, "port of the server on this machine")->required();
  app.add_option("--clients", options.clients, "connections at the same time")->check(CLI::Range(1, 10000));
  app.add_option("--requests", options.requests, "number of requests [0: one per line]");
  CLI11_PARSE(app, argc, argv);
  try {
    std::cout << measured(options) << '\n';
  } catch (const std::exception& error) {
    std::cerr << "bench_serve: " << error.what() << '\n';
    return 1;
  }
}
