#include "control/agents/agent_service.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "os/net/asio.hpp"

namespace dpm {
namespace {

constexpr std::size_t kQueuedBytesMax = 256 * 1024;  // a reply waits behind this output

}  // namespace

std::string agent_sockets(const std::string& machine) { return fmt::format("agent@{}@", machine); }

AgentService::AgentService(asio::io_context& context, Handlers handlers)
    : context_(context), handlers_(std::move(handlers)) {}

AgentService::~AgentService() {
  if (listener_) folder_->remove(socket_name_);
}

Result<void> AgentService::run(UniqueFd daemon, const std::string& machine) {
  if (auto begun = begin(std::move(daemon), machine); !begun) return begun;
  const auto until_stopped = asio::make_work_guard(context_);
  context_.run();
  return {};
}

Result<void> AgentService::begin(UniqueFd daemon, const std::string& machine) {
  auto folder = SocketFolder::own();
  if (!folder) return folder.error();
  folder_ = *std::move(folder);
  socket_name_ = agent_sockets(machine) + std::to_string(::getpid());
  auto socket = folder_->listen(socket_name_, SOCK_STREAM);
  if (!socket) return socket.error();
  listener_.emplace(context_, *std::move(socket), [this](UniqueFd other) {
    if (peer_of(other.get()).may_ask()) connect(std::move(other));
  });
  connect(std::move(daemon));
  return {};
}

void AgentService::connect(UniqueFd socket) {
  listened_to_ = false;
  handlers_.on_new_way();
  ++daemon_number_;
  const auto on_end = [this](const std::string&, bool) {
    listened_to_ = false;
    handlers_.on_new_way();
    daemon_.reset();
    if (when_retired_) std::exchange(when_retired_, nullptr)();
  };
  daemon_ = std::make_unique<MessageStream>(
      context_, std::move(socket),
      MessageStream::Handlers{[this](control::ControlMessage message) { on_message(std::move(message)); }, on_end,
                              [this] { handlers_.on_room(); }});
}

void AgentService::on_message(control::ControlMessage message) {
  auto* request = std::get_if<control::Request>(&message);
  if (request == nullptr) return;  // a daemon only asks
  if (const auto* hello = std::get_if<control::Hello>(&request->body)) return greet(request->number, *hello);
  handlers_.on_request({daemon_number_, request->number}, std::move(request->body));
}

void AgentService::greet(std::uint64_t number, const control::Hello& hello) {
  const RequestId id{daemon_number_, number};
  if (hello.version != control::kControlVersion)
    return refuse(id, fmt::format("started by a dpm of control version {}, asked by one of version {}",
                                  control::kControlVersion, hello.version));
  handlers_.on_new_way();
  listened_to_ = hello.controller != kNoListener;
  if (listened_to_) controller_ = hello.controller;
  control::Welcome welcome;
  welcome.machine = "agent";
  welcome.user = ::geteuid();
  control::ManagedProcess managed = handlers_.describe();
  // Before the process is created there is nothing to describe.
  if (managed.pid != 0) welcome.managed.push_back(std::move(managed));
  reply(id, std::move(welcome));
  if (listened_to_) handlers_.on_room();
}

void AgentService::reply(RequestId id, control::ReplyBody body) {
  if (daemon_ == nullptr || id.daemon != daemon_number_) return;
  if (auto sent = daemon_->send(control::Reply{id.number, std::move(body)}); !sent)
    (void)daemon_->send(control::Reply{id.number, control::Refused{sent.error().what}});
}

void AgentService::report(control::ReportBody body) {
  if (daemon_ != nullptr) (void)daemon_->send(control::Report{std::move(body)});
}

bool AgentService::has_room() const { return daemon_ != nullptr && daemon_->queued_bytes() < kQueuedBytesMax; }

void AgentService::hide() {
  if (listener_) folder_->remove(socket_name_);
  listener_.reset();
}

void AgentService::retire(std::function<void()> then) {
  hide();
  if (daemon_ == nullptr) return then();
  when_retired_ = std::move(then);
  daemon_->close_when_sent("retired");
}

}  // namespace dpm
