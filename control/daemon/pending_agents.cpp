#include "control/daemon/pending_agents.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <utility>

#include "control/agents/agent_service.hpp"
#include "control/daemon/daemon_log.hpp"

namespace dpm {
namespace {

using namespace control;

constexpr std::chrono::seconds kFindPatience{3};

// What is known of the process before its agent has created it.
ManagedProcess facts_of(const RequestBody& request) {
  ManagedProcess facts;
  if (const auto* process = std::get_if<CreateProcess>(&request)) {
    facts.job = process->job;
    facts.state = ProcessState::fresh;
    facts.flags = process->flags;
    facts.filter = process->filter;
  } else if (const auto* acquired = std::get_if<AcquireProcess>(&request)) {
    facts.job = acquired->job;
    facts.state = ProcessState::acquired;
    facts.flags = acquired->flags;
    facts.filter = acquired->filter;
  } else if (const auto* filter = std::get_if<CreateFilter>(&request)) {
    facts.kind = ManagedProcess::Kind::filter;
    facts.name = filter->name;
  }
  return facts;
}

// False if the agent has refused.
bool complete(ManagedProcess& facts, const ReplyBody& body) {
  if (const auto* process = std::get_if<ProcessCreated>(&body)) {
    facts.pid = process->pid;
    facts.name = process->name;
    facts.source = process->source;
    return true;
  }
  const auto* filter = std::get_if<FilterCreated>(&body);
  if (filter == nullptr) return false;
  facts.pid = filter->pid;
  facts.filter = filter->address;
  facts.log = filter->log;
  return true;
}

}  // namespace

PendingAgents::PendingAgents(asio::io_context& context, AgentOptions options, Handlers handlers)
    : context_(context), options_(std::move(options)), handlers_(std::move(handlers)) {}

std::unique_ptr<AgentLink> PendingAgents::take(std::uint64_t id) {
  auto node = pending_.extract(id);
  return node.empty() ? nullptr : std::move(node.mapped().link);
}

// Called in a handler of the link, which must not destroy it.
void PendingAgents::discard(std::uint64_t id) {
  later(context_, [link = std::shared_ptr<AgentLink>(take(id))] {});
}

// ---- those that an earlier daemon has left

void PendingAgents::find(const std::vector<SocketFolder>& folders) {
  for (const auto& folder : folders) {
    for (const auto& name : folder.names(agent_sockets(options_.machine))) {
      if (UniqueFd socket = folder.connect(name, SOCK_STREAM); socket) question(name, std::move(socket));
    }
  }
}

void PendingAgents::question(const std::string& name, UniqueFd socket) {
  ++finding_;
  const std::uint64_t id = next_id_++;
  Pending& pending = pending_[id];
  pending.link = handlers_.connect(std::move(socket));
  pending.timer = std::make_unique<Timer>(context_);
  pending.timer->start(kFindPatience, [this, id] { end_search(id); });
  pending.link->ask(Hello{kControlVersion, kNoListener},
                    [this, id, name](const ReplyBody& body) { on_welcome(id, name, body); });
}

void PendingAgents::on_welcome(std::uint64_t id, const std::string& socket_name, const ReplyBody& body) {
  const auto* welcome = std::get_if<Welcome>(&body);
  if (welcome != nullptr && welcome->managed.size() == 1) {
    handlers_.on_ready(welcome->managed.front(), take(id), kNoListener);
  } else {
    const auto* refused = std::get_if<Refused>(&body);
    log_line(fmt::format("cannot take over the agent {}: {}", socket_name,
                         refused != nullptr ? refused->why : "it has nothing yet"));
    discard(id);
  }
  end_search(id);
}

void PendingAgents::end_search(std::uint64_t id) {
  pending_.erase(id);
  if (--finding_ == 0) handlers_.on_found();
}

// ---- new ones

void PendingAgents::create(const std::string& controller, RequestBody request, const AgentLink::Answer& answer) {
  const char* role = std::holds_alternative<CreateFilter>(request) ? "--collect" : "--supervise";
  auto socket = start_agent(role, options_);
  if (!socket) return answer(Refused{socket.error().what});
  const std::uint64_t id = next_id_++;
  ManagedProcess facts = facts_of(request);
  facts.controller = controller;
  AgentLink& link = *(pending_[id].link = handlers_.connect(*std::move(socket)));
  link.ask(Hello{kControlVersion, controller}, [](const ReplyBody&) {});
  link.ask(std::move(request), [this, id, facts, answer](ReplyBody body) mutable {
    if (complete(facts, body)) {
      // Before the answer: it is written down there, and what a controller knows of survives a daemon that is killed.
      const std::string listener = facts.controller;
      handlers_.on_ready(std::move(facts), take(id), listener);
    } else {
      discard(id);
    }
    answer(std::move(body));
  });
}

}  // namespace dpm
