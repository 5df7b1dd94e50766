#pragma once

#include <gradus/serve/scheduler.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "files/saved_ensemble.hpp"
#include "serving/request.hpp"

namespace gradus::tools {

struct ServiceOptions {
  std::vector<std::pair<std::string, std::string>> models;  ///< name, and path for checkpoint_of()
  RequestLimits limits;
  serve::SchedulerOptions scheduler;
  std::chrono::milliseconds most_time{30000};  ///< time limit of a request
  std::int64_t attention_top_k = 0;            ///< for use_top_k_attention(); 0: all positions
};

/// The queue is full; the client should try again later.
class Busy : public Error {
 public:
  using Error::Error;
};
/// A request exceeded its time limit.
class TooSlow : public Error {
 public:
  using Error::Error;
};

/// The client closed the connection and will not read the answer.
class Gone : public Error {
 public:
  using Error::Error;
};

/// True if the client has closed the connection. Polled while a request runs.
using IsGone = std::function<bool()>;

/// Answers requests in JSON; does not depend on HTTP. Thread-safe.
class Service {
 public:
  /// @throws Error if load_ensemble() or use_top_k_attention() throws, or if a model reads sound.
  Service(ServiceOptions options, const models::Registry& registry);

  /// Answers a body of POST /translate. Each text gets the same translation as from `gradus translate` with
  /// the same options and this text as its only input.
  /// @throws BadRequest, Busy, TooSlow, Gone, and Error if the model fails.
  nlohmann::ordered_json translate(const std::string& body, const IsGone& is_gone) const;
  /// Answers a body of POST /align with the log-probability of the given translation, and with the attention
  /// weights between source and translation. @throws as translate() does
  nlohmann::ordered_json align(const std::string& body, const IsGone& is_gone) const;
  nlohmann::ordered_json models() const;
  nlohmann::ordered_json languages() const;
  /// Lines in Prometheus's text format.
  std::string metrics() const;

  /// Loads all models again, for later requests. Running requests keep the old models.
  /// @throws Error if the constructor would throw. In that case, the old models stay in use.
  void reload();

 private:
  struct Model;
  using Models = std::vector<std::shared_ptr<const Model>>;

  Models load() const;
  Models current() const;
  std::shared_ptr<const Model> find(const std::string& name, const std::string& source,
                                    const std::string& target) const;
  std::vector<std::vector<models::Decoded>> decode(const Model& model, std::vector<serve::Job> jobs,
                                                   const IsGone& is_gone) const;

  ServiceOptions options_;
  const gradus::models::Registry& registry_;
  mutable std::mutex mutex_;
  Models models_;
};

}  // namespace gradus::tools
