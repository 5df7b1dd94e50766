#include "serving/server.hpp"

#include <gradus/autograd/checks.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "serving/address.hpp"
#include "serving/http_server.hpp"
#include "serving/page.hpp"

namespace gradus::tools {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

void answer(httplib::Response& response, int status, const Json& json) {
  response.status = status;
  response.set_content(text_of(json), "application/json");
}

void refuse(httplib::Response& response, int status, const std::string& message) {
  answer(response, status, {{"error", message}});
}

// The token in the Authorization header or, for clients of LibreTranslate, in the field api_key.
std::string token_of(const httplib::Request& request) {
  const std::string header = request.get_header_value("Authorization");
  if (header.starts_with("Bearer ")) return header.substr(7);
  const auto body = nlohmann::json::parse(request.body, nullptr, false);
  if (!body.is_object() || !body.contains("api_key") || !body["api_key"].is_string()) return {};
  return body["api_key"].get<std::string>();
}

// Counts requests and adds up their response times, for /metrics.
class Counts {
 public:
  void add(const std::string& path, int status, double seconds) {
    const std::lock_guard lock(mutex_);
    counts_["gradus_requests_total{path=\"" + path + "\",status=\"" + std::to_string(status) + "\"}"] += 1;
    seconds_ += seconds;
    requests_ += 1;
  }

  std::string text() const {
    const std::lock_guard lock(mutex_);
    std::ostringstream text;
    text.precision(std::numeric_limits<double>::max_digits10);
    text << "# HELP gradus_requests_total Answered requests.\n# TYPE gradus_requests_total counter\n";
    for (const auto& [name, count] : counts_) text << name << ' ' << count << '\n';
    text << "# HELP gradus_request_seconds Time to answer.\n# TYPE gradus_request_seconds summary\n"
         << "gradus_request_seconds_sum " << seconds_ << "\ngradus_request_seconds_count " << requests_
         << '\n';
    return text.str();
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::int64_t> counts_;
  double seconds_ = 0;
  std::int64_t requests_ = 0;
};

const std::map<std::string, std::string> methods{{"/", "GET"},
                                                 {"/translate", "POST"},
                                                 {"/align", "POST"},
                                                 {"/models", "GET"},
                                                 {"/languages", "GET"},
                                                 {"/health", "GET"},
                                                 {"/metrics", "GET"},
                                                 {"/page.js", "GET"},
                                                 {"/page.css", "GET"},
                                                 {"/heatmap.js", "GET"},
                                                 {"/dom.js", "GET"},
                                                 {"/tokens.js", "GET"},
                                                 {"/openapi.json", "GET"}};

// Makes glibc's malloc release the memory used to make a large answer. Otherwise the thread's heap keeps it.
void return_memory_of(const httplib::Response& response) {
#ifdef __GLIBC__
  constexpr std::size_t large = 1 << 20;
  if (response.body.size() >= large) ::malloc_trim(0);
#else
  static_cast<void>(response);
#endif
}

constexpr std::size_t most_head = 1 << 16;     // bytes allowed for a request's head
constexpr std::size_t most_framing = 1 << 16;  // bytes allowed for the sizes of a body's chunks

}  // namespace

bool has_http() { return true; }

class Server::Impl {
 public:
  Impl(Service& service, const ServerOptions& options)
      : service_(service),
        options_(options),
        http_({.connections = options.connections,
               .patience = std::chrono::seconds(options.seconds),
               .head = most_head,
               .body = options.most_body + most_framing}) {
    http_.set_payload_max_length(options.most_body);
    http_.set_pre_routing_handler(
        [this](const auto& request, auto& response) { return before(request, response); });
    http_.set_error_handler([](const auto& request, auto& response) { explain(request, response); });
    http_.set_logger([this](const auto& request, const auto& response) { log(request, response); });
    routes();
  }

  int bind() {
    const int port = options_.port == 0
                         ? http_.bind_to_any_port(options_.host)
                         : (http_.bind_to_port(options_.host, options_.port) ? options_.port : -1);
    if (port > 0) {
      http_.lengthen_backlog();
      return port;
    }
    fail("serve", "cannot listen on ", options_.host, " port ", options_.port, ": ",
         why_not_listening(options_.host, options_.port));
  }

  void run() {
    http_.listen_after_bind();
    has_ended_ = true;
  }

  void stop() {
    // httplib ignores stop() while it is not running yet.
    while (!http_.is_running() && !has_ended_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    http_.stop();
  }

 private:
  using Handled = httplib::Server::HandlerResponse;

  Handled before(const httplib::Request& request, httplib::Response& response) const {
    HttpServer::connection()->expect_body();
    response.set_header("X-Content-Type-Options", "nosniff");
    response.set_header("X-Frame-Options", "DENY");
    response.set_header("Referrer-Policy", "no-referrer");
    response.set_header("Cache-Control", "no-store");
    response.set_header(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'");
    if (!options_.allowed_origin.empty()) {
      response.set_header("Access-Control-Allow-Origin", options_.allowed_origin);
      response.set_header("Access-Control-Allow-Headers", "Authorization, Content-Type");
      if (request.method == "OPTIONS") {
        response.status = 204;
        return Handled::Handled;
      }
    }
    const auto known = methods.find(request.path);
    const std::string method = request.method == "HEAD" ? "GET" : request.method;
    if (known != methods.end() && known->second != method) {
      response.set_header("Allow", known->second);
      refuse_unread(response, 405, request.path + " takes " + known->second);
      return Handled::Handled;
    }
    if (request.has_header("Content-Encoding")) {  // a small compressed body can expand to a large one
      refuse_unread(response, 415, "a compressed body is not read; send it without Content-Encoding");
      return Handled::Handled;
    }
    if (request.method == "POST" && !request.has_header("Content-Length") &&
        !request.has_header("Transfer-Encoding")) {
      refuse_unread(response, 411, "the body's length is not known; send the header Content-Length");
      return Handled::Handled;
    }
    if (request.method == "POST" && known != methods.end() &&
        !request.get_header_value("Content-Type").starts_with("application/json")) {
      // httplib would read the body as a form, with a limit of its own on the size.
      refuse_unread(
          response, 400,
          "the body's type must be application/json; send the header Content-Type: application/json");
      return Handled::Handled;
    }
    return Handled::Unhandled;
  }

  // Refuses a request whose body was not read completely, and closes the connection.
  static void refuse_unread(httplib::Response& response, int status, const std::string& message) {
    HttpServer::connection()->close_after_answer();
    response.set_header("Connection", "close");
    refuse(response, status, message);
  }

  // Writes the answer to an error that httplib itself detected.
  static void explain(const httplib::Request& request, httplib::Response& response) {
    if (!response.body.empty()) return;
    if (response.status == 404) {
      return refuse(response, 404, "nothing is at this address; see /openapi.json");
    }
    const Connection& connection = *HttpServer::connection();
    if (connection.was_too_slow()) {
      return refuse_unread(response, 408, "the request took longer to arrive than --client-seconds");
    }
    if (connection.was_too_large()) response.status = connection.has_head() ? 413 : 431;
    switch (response.status) {
      case 413:
        return refuse_unread(response, 413, "the body is larger than the limit, --max-body");
      case 414:
        return refuse_unread(response, 414, "the address is too long");
      case 431:
        return refuse_unread(response, 431, "the head of the request is larger than 64 KiB");
      default:
        break;
    }
    refuse_unread(response, response.status,
                  request.method.empty() ? "not an HTTP request" : "the request cannot be read");
  }

  template <class Body>
  httplib::Server::Handler guarded(const Body& body) {
    return [this, body](const httplib::Request& request, httplib::Response& response) {
      try {
        if (!options_.token.empty() && !equal_in_constant_time(token_of(request), options_.token)) {
          response.set_header("WWW-Authenticate", "Bearer");
          return refuse(response, 401,
                        "this server needs a token; send the header Authorization: Bearer TOKEN");
        }
        if (!request.params.empty()) {
          throw BadRequest("parameters in the address are not read; send JSON in the body");
        }
        body(request, response);
      } catch (const BadRequest& error) {
        refuse(response, 400, error.what());
      } catch (const Busy& error) {
        response.set_header("Retry-After", "1");
        refuse(response, 429, error.what());
      } catch (const TooSlow& error) {
        refuse(response, 503, error.what());
      } catch (const Gone& error) {
        refuse(response, 499, error.what());  // the client has gone: only the log shows this
      } catch (const Error& error) {
        refuse(response, 500, error.what());
      } catch (const std::exception& error) {
        std::cerr << "a request failed: " << error.what() << '\n';
        refuse(response, 500, "the server failed; its standard error says more");
      }
    };
  }

  void routes() {
    const auto page = [](const char* text, const char* type) {
      return [text, type](const httplib::Request&, httplib::Response& response) {
        response.set_content(text, type);
      };
    };
    http_.Get("/", page(page_html, "text/html; charset=utf-8"));
    constexpr const char* script = "text/javascript; charset=utf-8";
    http_.Get("/page.js", page(page_js, script));
    http_.Get("/heatmap.js", page(heatmap_js, script));
    http_.Get("/dom.js", page(dom_js, script));
    http_.Get("/tokens.js", page(tokens_js, script));
    http_.Get("/page.css", page(page_css, "text/css; charset=utf-8"));
    http_.Get("/openapi.json", page(openapi_json, "application/json"));
    http_.Get("/health", [](const auto&, auto& response) { answer(response, 200, {{"status", "ok"}}); });
    const auto is_gone = [] { return HttpServer::connection()->is_closed(); };
    http_.Post("/translate", guarded([=, this](const auto& request, auto& response) {
                 answer(response, 200, service_.translate(request.body, is_gone));
               }));
    http_.Post("/align", guarded([=, this](const auto& request, auto& response) {
                 answer(response, 200, service_.align(request.body, is_gone));
               }));
    http_.Get("/models",
              guarded([this](const auto&, auto& response) { answer(response, 200, service_.models()); }));
    http_.Get("/languages",
              guarded([this](const auto&, auto& response) { answer(response, 200, service_.languages()); }));
    http_.Get("/metrics", guarded([this](const auto&, auto& response) {
                response.set_content(service_.metrics() + counts_.text(), "text/plain; version=0.0.4");
              }));
  }

  // Logs one line per request, without its texts.
  void log(const httplib::Request& request, const httplib::Response& response) {
    const double seconds =
        std::chrono::duration<double>(Clock::now() - HttpServer::connection()->began()).count();
    counts_.add(methods.contains(request.path) ? request.path : "other", response.status, seconds);
    std::string client = request.remote_addr;  // empty if the head could not be read
    int port = 0;
    if (client.empty()) HttpServer::connection()->get_remote_ip_and_port(client, port);
    const std::string line =
        text_of({{"time", std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())},
                 {"client", client},
                 {"method", request.method},
                 {"path", request.path.substr(0, 200)},
                 {"status", response.status},
                 {"request_bytes", request.body.size()},
                 {"response_bytes", response.body.size()},
                 {"seconds", seconds}});
    return_memory_of(response);
    const std::lock_guard lock(log_);
    std::cout << line << std::flush;
  }

  Service& service_;
  const ServerOptions options_;
  HttpServer http_;
  std::atomic<bool> has_ended_ = false;
  Counts counts_;
  std::mutex log_;
};

Server::Server(Service& service, const ServerOptions& options)
    : impl_(std::make_unique<Impl>(service, options)) {}
Server::~Server() = default;
int Server::bind() { return impl_->bind(); }
void Server::run() { impl_->run(); }
void Server::stop() { impl_->stop(); }

}  // namespace gradus::tools
