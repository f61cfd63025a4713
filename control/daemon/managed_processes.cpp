#include "control/daemon/managed_processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "control/agents/agent_service.hpp"
#include "control/agents/program_cgroup.hpp"
#include "control/daemon/daemon_log.hpp"
#include "os/kernel/cgroups.hpp"
#include "os/net/timer.hpp"

namespace dpm {
namespace {

using namespace control;

constexpr std::chrono::seconds kReleasePatience{3};
constexpr const char* kSupervisorKilled =
    "its supervisor was killed; it continues unmetered, and its output is no longer passed on";

void ignore_answer(const ReplyBody&) {}

}  // namespace

ManagedProcesses::ManagedProcesses(asio::io_context& context, std::chrono::seconds keep, Handlers handlers)
    : context_(context), keep_(keep), handlers_(std::move(handlers)) {}

ManagedProcesses::Entry* ManagedProcesses::entry_of(std::uint32_t pid) {
  const auto at = entries_.find(pid);
  return at == entries_.end() ? nullptr : &at->second;
}

ManagedProcesses::Entry* ManagedProcesses::entry_of(const AgentLink* link) {
  for (auto& [pid, entry] : entries_)
    if (entry.link.get() == link) return &entry;
  return nullptr;
}

const ManagedProcess* ManagedProcesses::find(std::uint32_t pid) const {
  const auto at = entries_.find(pid);
  return at == entries_.end() ? nullptr : &at->second.facts;
}

const ManagedProcess* ManagedProcesses::find_filter_of(const std::string& log) const {
  for (const auto& [pid, entry] : entries_)
    if (entry.facts.kind == ManagedProcess::Kind::filter && name_of_log(entry.facts.log) == log) return &entry.facts;
  return nullptr;
}

std::vector<ManagedProcess> ManagedProcesses::describe() const {
  std::vector<ManagedProcess> described;
  for (const auto& [pid, entry] : entries_) {
    described.push_back(entry.facts);
    described.back().attended = handlers_.is_connected(entry.facts.controller);
  }
  return described;
}

std::unique_ptr<AgentLink> ManagedProcesses::connect(UniqueFd socket) {
  // The handlers name the link that they belong to, and exist before it.
  auto self = std::make_shared<AgentLink*>(nullptr);
  auto link = std::make_unique<AgentLink>(
      context_, std::move(socket),
      AgentLink::Handlers{[this, self](ReportBody body) { on_report(*self, std::move(body)); },
                          [this, self] { on_agent_end(*self); }});
  *self = link.get();
  return link;
}

void ManagedProcesses::add(ManagedProcess facts, std::unique_ptr<AgentLink> link, const std::string& listener) {
  const std::uint32_t pid = facts.pid;
  // The kernel has given the number out again: the process that had it has ended, and is not released yet.
  if (Entry* older = entry_of(pid); older != nullptr && older->link != nullptr) {
    older->link->ask(Release{pid}, ignore_answer);
    after(context_, kReleasePatience, [kept = std::shared_ptr<AgentLink>(std::move(older->link))] {});
  }
  Entry& entry = entries_.insert_or_assign(pid, Entry{}).first->second;
  entry.facts = std::move(facts);
  entry.link = std::move(link);
  write_record(entry);
  if (listener != kNoListener && !handlers_.is_connected(listener)) set_listener(entry, kNoListener);
}

void ManagedProcesses::add_unattended(ManagedProcess facts, bool goes_on) {
  if (entry_of(facts.pid) != nullptr) return;  // its agent has answered
  Entry& entry = entries_[facts.pid];
  entry.facts = std::move(facts);
  if (entry.facts.state == ProcessState::killed) return;
  // Recorded when it was new. One that never began ends by itself.
  if (entry.facts.state != ProcessState::acquired) entry.facts.state = ProcessState::running;
  if (goes_on || entry.facts.kind == ManagedProcess::Kind::filter) return leave_unattended(entry);
  on_program_end(entry.facts.pid);
}

void ManagedProcesses::write_record(const Entry& entry) const {
  if (handlers_.write_record) handlers_.write_record(entry.facts);
}

void ManagedProcesses::erase(std::uint32_t pid) {
  entries_.erase(pid);
  if (handlers_.remove_record) handlers_.remove_record(pid);
}

// ---- controllers that come and go

void ManagedProcesses::set_connected(const std::string& controller, bool connected) {
  for (auto& [pid, entry] : entries_)
    if (entry.facts.controller == controller) set_listener(entry, connected ? controller : kNoListener);
  for (const auto& departing : departing_)
    if (departing.controller == controller)
      departing.link->ask(Hello{kControlVersion, connected ? controller : kNoListener}, ignore_answer);
}

void ManagedProcesses::set_listener(Entry& entry, const std::string& controller) {
  if (controller != kNoListener) {
    for (auto& output : std::exchange(entry.held, {})) report(entry, std::move(output));
  }
  if (entry.link == nullptr) return;
  entry.link->set_reading(true);
  entry.link->ask(Hello{kControlVersion, controller}, ignore_answer);
}

void ManagedProcesses::set_reading(const std::string& controller, bool on) {
  for (auto& [pid, entry] : entries_)
    if (entry.facts.controller == controller && entry.link != nullptr) entry.link->set_reading(on);
}

void ManagedProcesses::adopt(const std::string& controller, std::uint32_t pid, const Answer& answer) {
  Entry* entry = entry_of(pid);
  if (entry == nullptr)
    return answer(Refused{fmt::format("process {} is not managed by this daemon ('jobs' lists those that are)", pid)});
  const std::string& owner = entry->facts.controller;
  if (owner != controller && handlers_.is_connected(owner))
    return answer(Refused{fmt::format("process {} belongs to the controller {}, which is connected", pid, owner)});
  entry->facts.controller = controller;
  write_record(*entry);
  answer(Done{});
  set_listener(*entry, controller);
}

void ManagedProcesses::forget_abandoned() {
  constexpr std::chrono::seconds kLookEvery{600};
  const auto now = Clock::now();
  std::vector<std::uint32_t> forgotten;
  for (auto& [pid, entry] : entries_) {
    const bool is_abandoned =
        entry.facts.state == ProcessState::killed && !handlers_.is_connected(entry.facts.controller);
    if (!is_abandoned) {
      entry.abandoned.reset();
    } else if (!entry.abandoned) {
      entry.abandoned = now;
    } else if (now - *entry.abandoned >= keep_) {
      forgotten.push_back(pid);
    }
  }
  for (const std::uint32_t pid : forgotten) {
    Entry& entry = entries_.at(pid);
    log_line(fmt::format("forgot {} ({}), ended: {}; its controller {} has not come back", entry.facts.name, pid,
                         entry.facts.reason, entry.facts.controller));
    release(entry, ignore_answer);
  }
  after(context_, std::min(keep_, kLookEvery), [this] { forget_abandoned(); });
}

// ---- requests of controllers

std::string ManagedProcesses::refusal_of(const std::string& controller, const Entry& entry) const {
  const std::string& owner = entry.facts.controller;
  if (owner == controller) return "";
  return fmt::format("process {} belongs to the controller {}, which is {}", entry.facts.pid, owner,
                     handlers_.is_connected(owner) ? "connected" : "not connected: adopt it first");
}

void ManagedProcesses::pass_on(const std::string& controller, std::uint32_t pid, RequestBody request, Answer answer) {
  Entry* entry = entry_of(pid);
  if (const auto* piece = std::get_if<Relay>(&request); piece != nullptr && entry == nullptr)
    return relay(controller, *piece, answer);
  if (entry == nullptr)
    return answer(Refused{fmt::format("process {} is not managed by this daemon ('jobs' lists those that are)", pid)});
  if (auto refusal = refusal_of(controller, *entry); !refusal.empty()) return answer(Refused{std::move(refusal)});
  if (std::holds_alternative<Release>(request)) return release(*entry, answer);
  if (entry->link == nullptr) return control_unattended(*entry, request, std::move(answer));
  if (const auto* flags = std::get_if<SetFlags>(&request)) return set_flags(*entry, *flags, std::move(answer));
  if (std::holds_alternative<EndFilter>(request)) return end_filter(*entry, std::move(answer));
  entry->link->ask(std::move(request), std::move(answer));
}

bool ManagedProcesses::ask_agent(std::uint32_t pid, RequestBody request, Answer answer) {
  Entry* entry = entry_of(pid);
  if (entry == nullptr || entry->link == nullptr) return false;
  entry->link->ask(std::move(request), std::move(answer));
  return true;
}

void ManagedProcesses::relay(const std::string& controller, const Relay& piece, const Answer& answer) {
  for (const auto& departing : departing_)
    if (departing.pid == piece.pid && departing.controller == controller) return departing.link->ask(piece, answer);
  answer(Refused{fmt::format("process {} is not managed by this daemon ('jobs' lists those that are)", piece.pid)});
}

void ManagedProcesses::set_flags(Entry& entry, const SetFlags& request, Answer answer) {
  entry.link->ask(request, [this, request, answer = std::move(answer)](ReplyBody body) {
    if (Entry* changed = entry_of(request.pid); changed != nullptr && std::holds_alternative<Done>(body))
      changed->facts.flags = request.flags;
    answer(std::move(body));
  });
}

void ManagedProcesses::end_filter(Entry& entry, Answer answer) {
  const std::uint32_t pid = entry.facts.pid;
  entry.link->ask(EndFilter{pid}, [this, pid, answer = std::move(answer)](ReplyBody body) {
    const auto* finished = std::get_if<FilterFinished>(&body);
    if (Entry* ended = entry_of(pid); ended != nullptr && finished != nullptr) {
      ended->facts.state = ProcessState::killed;
      ended->facts.reason = finished->reason;
    }
    answer(std::move(body));
  });
}

void ManagedProcesses::control_unattended(Entry& entry, const RequestBody& request, Answer answer) {
  if (entry.program == nullptr) return answer(Refused{"it has ended already"});
  const bool is_stop = std::holds_alternative<StopProcess>(request);
  const bool is_start = std::holds_alternative<StartProcess>(request);
  const bool is_kill = std::holds_alternative<KillProcess>(request);
  if (!is_stop && !is_start && !is_kill) return answer(Refused{kSupervisorKilled});
  if (entry.facts.state == ProcessState::acquired)
    return answer(Refused{"an acquired process is neither started nor stopped nor killed"});
  if (is_kill) {
    entry.program->kill();
    entry.killers.push_back(std::move(answer));
    return;
  }
  if (is_stop) {
    entry.program->stop();
  } else {
    entry.program->go_on();
  }
  entry.facts.state = is_stop ? ProcessState::stopped : ProcessState::running;
  answer(Done{});
}

void ManagedProcesses::release(Entry& entry, const Answer& answer) {
  const std::uint32_t pid = entry.facts.pid;
  if (entry.link == nullptr) {
    if (entry.facts.state != ProcessState::killed && entry.facts.state != ProcessState::acquired)
      return answer(Refused{fmt::format("a process that is {} has to be killed first", state_name(entry.facts.state))});
    erase(pid);
    return answer(Done{});
  }
  entry.link->ask(Release{pid}, [this, pid, answer](ReplyBody body) {
    Entry* released = entry_of(pid);
    if (released != nullptr && std::holds_alternative<Done>(body)) {
      departing_.push_back({pid, released->facts.controller, std::move(released->link)});
      erase(pid);
      handlers_.on_release();
    }
    answer(std::move(body));
  });
}

// ---- reports of agents

void ManagedProcesses::report(const Entry& entry, ReportBody body) {
  const std::string controller = entry.facts.controller;
  if (!handlers_.report(controller, std::move(body))) set_reading(controller, false);
}

void ManagedProcesses::on_report(AgentLink* link, ReportBody body) {
  Entry* entry = entry_of(link);
  if (entry == nullptr) return on_departing_report(link, std::move(body));
  if (const auto* changed = std::get_if<StateChanged>(&body)) {
    entry->facts.state = changed->state;
    entry->facts.reason = changed->reason;
    if (changed->state == ProcessState::killed) write_record(*entry);
  } else if (const auto* ended = std::get_if<FilterEnded>(&body)) {
    entry->facts.state = ProcessState::killed;
    entry->facts.reason = ended->reason;
  } else if (const auto* delivery = std::get_if<DeliveryChanged>(&body)) {
    entry->facts.delivery = delivery->delivery;
  } else if (auto* output = std::get_if<Output>(&body);
             output != nullptr && !handlers_.is_connected(entry->facts.controller)) {
    entry->held.push_back(std::move(*output));
    return;
  }
  report(*entry, std::move(body));
}

void ManagedProcesses::on_departing_report(const AgentLink* link, ReportBody body) {
  if (!std::holds_alternative<DeliveryChanged>(body) && !std::holds_alternative<Relay>(body)) return;
  const auto departing =
      std::find_if(departing_.begin(), departing_.end(), [&](const auto& one) { return one.link.get() == link; });
  if (departing != departing_.end()) handlers_.report(departing->controller, std::move(body));
}

// ---- agents that were killed

void ManagedProcesses::on_agent_end(AgentLink* link) {
  Entry* entry = entry_of(link);
  if (entry == nullptr) {
    departing_.remove_if([&](const Departing& departing) { return departing.link.get() == link; });
    return;
  }
  entry->link.reset();
  leave_unattended(*entry);
}

void ManagedProcesses::leave_unattended(Entry& entry) {
  const std::uint32_t pid = entry.facts.pid;
  if (entry.facts.state == ProcessState::killed) return;
  if (entry.facts.kind == ManagedProcess::Kind::filter) {
    entry.facts.state = ProcessState::killed;
    entry.facts.reason = "its collector was killed";
    return report(entry, FilterEnded{pid, entry.facts.reason});
  }
  UnattendedProgram::Handlers handlers;
  handlers.on_change = [this, pid] { on_program_change(pid); };
  handlers.on_end = [this, pid] { on_program_end(pid); };
  entry.program = UnattendedProgram::watch(context_, pid, std::move(handlers));
  if (entry.program == nullptr) return on_program_end(pid);
  entry.facts.is_unmetered = true;
  entry.facts.reason = kSupervisorKilled;
  on_program_change(pid);
}

void ManagedProcesses::on_program_change(std::uint32_t pid) {
  Entry& entry = entries_.at(pid);
  // A new one ends by itself: it has not begun, and now never can.
  if (entry.facts.state == ProcessState::running || entry.facts.state == ProcessState::stopped)
    entry.facts.state = entry.program->state();
  report(entry, StateChanged{pid, entry.facts.state, entry.facts.reason, true});
}

void ManagedProcesses::on_program_end(std::uint32_t pid) {
  Entry* entry = entry_of(pid);
  if (entry == nullptr || entry->link != nullptr) return;
  if (entry->program) {
    entry->program->dissolve();
  } else {
    remove_old_cgroup(read_cgroup_root(), pid);
  }
  // This may run in a handler of the program, which must not destroy it.
  later(context_, [ended = std::shared_ptr<UnattendedProgram>(std::move(entry->program))] {});
  entry->facts.is_unmetered = false;
  entry->facts.state = ProcessState::killed;
  entry->facts.reason = "ended, for an unknown reason: its supervisor had been killed";
  report(*entry, StateChanged{pid, entry->facts.state, entry->facts.reason});
  for (const auto& answer : std::exchange(entry->killers, {})) answer(Done{});
}

}  // namespace dpm
