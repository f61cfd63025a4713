#include "control/daemon/controllers.hpp"

#include <fmt/format.h>

#include <utility>

#include "backends/linux/custody/keeper/socket_folder.hpp"
#include "control/agents/agent_service.hpp"
#include "control/daemon/daemon_log.hpp"

namespace dpm {
namespace {

using namespace control;

constexpr std::size_t kControllersMax = 64;
constexpr std::size_t kWhyBytesMax = 4096;
// For one controller, before the output of its processes has to wait. A reply waits behind it.
constexpr std::size_t kQueuedBytesMax = 256 * 1024;

std::string refusal_of(const Hello& hello) {
  if (hello.controller == kNoListener) return fmt::format("'{}' cannot be a controller's name", hello.controller);
  if (hello.version == kControlVersion) return "";
  return fmt::format(
      "the meterdaemon here has control version {}, its controller version {}: use the same dpm on both machines",
      kControlVersion, hello.version);
}

}  // namespace

Controllers::Controllers(asio::io_context& context, std::chrono::seconds hello_patience, Handlers handlers)
    : context_(context), hello_patience_(hello_patience), handlers_(std::move(handlers)) {}

const Controllers::Connection* Controllers::find(const std::string& controller) const {
  for (const auto& [id, connection] : connections_)
    if (connection.name == controller) return &connection;
  return nullptr;
}

void Controllers::accept(UniqueFd socket) {
  const SocketPeer peer = peer_of(socket.get());
  if (!peer.may_ask() || connections_.size() == kControllersMax) {
    ++dropped_peers_;
    return log_line(
        fmt::format("refused process {} of user {} ({} peers so far)", peer.pid, peer.user, dropped_peers_));
  }
  const std::uint64_t id = next_id_++;
  Connection& connection = connections_[id];
  connection.id = id;
  MessageStream::Handlers handlers;
  handlers.on_message = [this, id](ControlMessage message) {
    auto* request = std::get_if<Request>(&message);
    if (request != nullptr) return on_request(connections_.at(id), std::move(*request));
    connections_.at(id).stream->close_when_sent("it sent an answer instead of a request");
  };
  handlers.on_end = [this, id](const std::string& why, bool broken) { drop(id, why, broken); };
  handlers.on_drained = [this, id] {
    if (const auto at = connections_.find(id); at != connections_.end()) handlers_.on_drained(at->second.name);
  };
  connection.stream = std::make_unique<MessageStream>(context_, std::move(socket), std::move(handlers));
  connection.hello_timer = std::make_unique<Timer>(context_);
  connection.hello_timer->start(hello_patience_, [this, id] { drop(id, "it did not identify itself", true); });
  handlers_.on_change();
}

void Controllers::drop(std::uint64_t id, const std::string& why, bool broken) {
  const auto node = connections_.extract(id);
  if (node.empty()) return;
  const std::string& name = node.mapped().name;
  if (broken) {
    ++dropped_peers_;
    log_line(fmt::format("dropped {}: {} ({} peers so far)", name.empty() ? "a peer" : name, why, dropped_peers_));
  }
  if (!name.empty() && !is_connected(name)) handlers_.on_gone(name);
  handlers_.on_change();
}

void Controllers::on_request(Connection& connection, Request request) {
  const RequestId id{connection.id, request.number};
  if (const auto* hello = std::get_if<Hello>(&request.body)) return greet(connection, request.number, *hello);
  if (connection.name.empty()) {
    reply(id, Refused{"send Hello first"});
    return connection.stream->close_when_sent("it did not send Hello first");
  }
  handlers_.on_request(connection.name, id, std::move(request.body));
}

void Controllers::greet(Connection& connection, std::uint64_t number, const Hello& hello) {
  const RequestId id{connection.id, number};
  connection.hello_timer->cancel();
  if (const std::string refusal = refusal_of(hello); !refusal.empty()) {
    reply(id, Refused{refusal});
    return connection.stream->close_when_sent(refusal);
  }
  for (auto& [other_id, other] : connections_) {
    if (other.name != hello.controller || other.known_as != hello.machine || other_id == connection.id) continue;
    other.name.clear();
    other.stream->close_when_sent("its controller has connected again");
  }
  connection.name = hello.controller;
  connection.known_as = hello.machine;
  handlers_.on_hello(connection.name, id);
}

void Controllers::reply(RequestId id, ReplyBody body) {
  const auto at = connections_.find(id.connection);
  if (at == connections_.end()) return;
  if (auto* refused = std::get_if<Refused>(&body); refused != nullptr && refused->why.size() > kWhyBytesMax)
    refused->why.resize(kWhyBytesMax);
  MessageStream& stream = *at->second.stream;
  if (auto sent = stream.send(Reply{id.number, std::move(body)}); !sent)
    (void)stream.send(Reply{id.number, Refused{sent.error().what.substr(0, kWhyBytesMax)}});
}

bool Controllers::report(const std::string& controller, ReportBody body) {
  const Connection* connection = find(controller);
  if (connection == nullptr) return true;
  (void)connection->stream->send(Report{std::move(body)});
  return connection->stream->queued_bytes() <= kQueuedBytesMax;
}

}  // namespace dpm
