#include "view/server/page_server.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "os/heap.hpp"
#include "os/machine.hpp"
#include "os/net/asio.hpp"
#include "os/net/listener.hpp"
#include "os/net/timer.hpp"
#include "view/server/connection.hpp"
#include "view/server/listening_socket.hpp"
#include "view/server/page_policy.hpp"
#include "view/server/page_token.hpp"
#include "view/server/response_head.hpp"
#include "view/server/server_certificate.hpp"

namespace dpm::view {
namespace {

// Answers take megabytes, which malloc would keep after a viewer has gone (measured: 155 of 162 MB of 20 viewers).
constexpr std::chrono::seconds kUntilTidied{1};

std::vector<std::string> own_addresses(const ServerOptions& options) {
  if (!is_any_address(options.address)) return {options.address};
  auto addresses = machine_addresses();
  addresses.push_back(machine_name());
  return addresses;
}

// The name in the address that is shown to the user.
std::string shown_name(const ServerOptions& options) {
  if (!is_any_address(options.address)) return bracketed(options.address);
  if (!options.allowed_hosts.empty()) return options.allowed_hosts.front();
  const auto addresses = addresses_for_others(machine_addresses());
  return addresses.empty() ? "127.0.0.1" : bracketed(addresses.front());
}

// What cannot wait: there is no place for the connection.
void turn_away(int socket) {
  const std::string response = written({.status = 503, .policy = empty_policy(), .keeps_connection = false});
  (void)::send(socket, response.data(), response.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

// The thread of the server runs everything here but the constructor, the destructor and changed().
class PageServer::Work {
 public:
  Work(const ServerOptions& options, std::string token, std::string page, RequestHandler& handler,
       ListeningSocket socket, std::optional<ServerCertificate> certificate)
      : port(socket.port),
        url(fmt::format("{}://{}:{}/{}/", certificate ? "https" : "http", shown_name(options), port, token)),
        certificate_(std::move(certificate)),
        answerer_(handler),
        serving_{std::make_shared<asio::io_context>(1),
                 options.limits,
                 Gate(token, HostNames(port, certificate_.has_value(), own_addresses(options), options.allowed_hosts),
                      certificate_.has_value()),
                 std::move(page),
                 certificate_.has_value(),
                 counters,
                 answerer_,
                 [this](std::uint64_t connection, bool was_viewer) { leave(connection, was_viewer); },
                 [this] { begin_round(); }},
        work_guard_(serving_.context->get_executor()),
        round_(*serving_.context),
        tidying_(*serving_.context) {
    listener_.emplace(
        *serving_.context, std::move(socket.socket), [this](UniqueFd connection) { accept(std::move(connection)); },
        [this] { (void)make_room(); });
    thread_ = thread_without_signals([this] { serving_.context->run(); });
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  ~Work() {
    later(*serving_.context, [this] { stop(); });
    thread_.join();
  }

  void changed(const Json& tick) {
    const std::lock_guard lock(mutex_);
    tick_ = tick_message(tick);
    ++version_;
    if (!std::exchange(is_announced_, true)) later(*serving_.context, [this] { begin_round(); });
  }

  SharedCounters counters;
  const std::uint16_t port;
  const std::string url;

 private:
  void accept(UniqueFd socket) {
    if (connections_.size() >= serving_.limits.connections_max && !make_room()) {
      counters.refuse(Refusal::connections);
      turn_away(socket.get());
      return;
    }
    const std::uint64_t number = ++last_number_;
    auto connection =
        new_connection(serving_, number, std::move(socket), certificate_ ? &certificate_->context() : nullptr);
    connections_.emplace(number, connection);
    counters.add(&ServerCounters::connections);
    connection->begin();
  }

  // Drops the oldest connection that has not shown the token: a flood of strangers displaces itself.
  bool make_room() {
    for (const auto& [number, connection] : connections_) {
      if (connection->has_shown_token()) continue;
      counters.refuse(Refusal::connections);
      const auto kept = connection;
      kept->drop();
      return true;
    }
    return false;
  }

  void leave(std::uint64_t number, bool was_viewer) {
    if (connections_.erase(number) > 0) counters.subtract(&ServerCounters::connections);
    // What was under way for it lives until its coroutines have ended.
    if (was_viewer && !is_stopping_) tidying_.start(kUntilTidied, give_back_free_memory);
  }

  // Rounds go on while a viewer has not got the latest tick, and are `between_ticks` apart.
  void begin_round() {
    if (round_.is_running() || is_stopping_) return;
    std::pair<SocketMessage, std::uint64_t> latest;
    {
      const std::lock_guard lock(mutex_);
      is_announced_ = false;
      latest = {tick_, version_};
    }
    if (latest.second == 0 || !offer(latest.first, latest.second)) return;
    round_.start(serving_.limits.between_ticks, [this] { begin_round(); });
  }

  // False: every viewer had it before.
  bool offer(const SocketMessage& tick, std::uint64_t version) {
    bool is_new = false;
    for (const auto& [number, connection] : connections_) {
      const auto offered = connection->offer_tick(tick, version);
      if (offered == ViewerSession::Offered::skipped) counters.add(&ServerCounters::ticks_skipped);
      is_new = is_new || offered != ViewerSession::Offered::known;
    }
    return is_new;
  }

  void stop() {
    is_stopping_ = true;
    listener_.reset();
    round_.cancel();
    tidying_.cancel();
    while (!connections_.empty()) {
      const auto kept = connections_.begin()->second;
      kept->drop();
    }
    work_guard_.reset();
  }

  std::optional<ServerCertificate> certificate_;
  Answerer answerer_;
  Serving serving_;
  asio::executor_work_guard<asio::io_context::executor_type> work_guard_;
  std::optional<Listener> listener_;
  std::map<std::uint64_t, std::shared_ptr<Connection>> connections_;  // by number: the oldest first
  std::uint64_t last_number_ = 0;
  Timer round_, tidying_;
  bool is_stopping_ = false;
  std::mutex mutex_;  // of the next three
  SocketMessage tick_;
  std::uint64_t version_ = 0;
  bool is_announced_ = false;
  std::thread thread_;
};

PageServer::PageServer(std::unique_ptr<Work> work) : work_(std::move(work)) {}
PageServer::~PageServer() = default;

Result<std::unique_ptr<PageServer>> PageServer::start(ServerOptions options, std::string page,
                                                      RequestHandler& handler) {
  if (auto checked = check_options(options); !checked) return checked.error();
  std::optional<ServerCertificate> certificate;
  if (!options.certificate_file.empty()) {
    auto read = ServerCertificate::read(options.certificate_file, options.key_file);
    if (!read) return read.error();
    certificate = std::move(*read);
  }
  auto token = options.token_file.empty() ? new_token() : kept_token(options.token_file);
  if (!token) return token.error();
  auto socket = listen_on(options.address, options.port);
  if (!socket) return socket.error();
  return std::unique_ptr<PageServer>(new PageServer(
      std::make_unique<Work>(options, *token, std::move(page), handler, *std::move(socket), std::move(certificate))));
}

std::string PageServer::url() const { return work_->url; }
std::uint16_t PageServer::port() const { return work_->port; }
void PageServer::changed(const Json& tick) { work_->changed(tick); }
ServerCounters PageServer::counters() const { return work_->counters.read(); }

}  // namespace dpm::view
