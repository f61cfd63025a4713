#include "tests/control/controller/simulated_machines.hpp"

#include <fmt/format.h>

namespace dpm::control::test {
namespace {

constexpr std::uint32_t kFirstPid = 100;
constexpr const char* kStranger = "stranger";

std::uint32_t pid_of(const RequestBody& request) {
  return std::visit(
      [](const auto& body) -> std::uint32_t {
        if constexpr (requires { body.pid; }) return body.pid;
        return 0;
      },
      request);
}

}  // namespace

// ---- what happens

void SimulatedMachines::cut_link(const std::string& machine) {
  machines_[machine].is_cut = true;
  disconnect(machine, "no answer");
}

void SimulatedMachines::lose_host(const std::string& machine) {
  machines_[machine].is_gone = true;
  disconnect(machine, "no route to host");
}

// Processes of others have the numbers again that ours had.
void SimulatedMachines::restart_host(const std::string& machine) {
  Machine& host = machines_[machine];
  disconnect(machine, "the connection was closed");
  host.without_agent.clear();
  host.is_restarted = true;
  host.last_pid = kFirstPid;
  for (auto& [pid, managed] : host.managed)
    managed = {.pid = pid, .name = "other", .controller = kStranger, .attended = true, .state = ProcessState::stopped};
}

void SimulatedMachines::kill_daemon(const std::string& machine) { disconnect(machine, "the connection was closed"); }

void SimulatedMachines::kill_daemon_and_agents(const std::string& machine) {
  machines_[machine].managed.clear();
  disconnect(machine, "the connection was closed");
}

void SimulatedMachines::kill_agents(const std::string& machine) {
  Machine& host = machines_[machine];
  for (auto& [pid, managed] : host.managed) {
    host.without_agent.insert(pid);
    if (managed.state == ProcessState::killed) continue;
    if (managed.kind == ManagedProcess::Kind::filter) {
      managed.state = ProcessState::killed;
      managed.reason = "the process that collected for it was killed";
      if (host.is_connected) reports_.push_back({machine, FilterEnded{pid, managed.reason}});
    } else {
      // One that has not begun ends with its supervisor.
      managed.is_unmetered = managed.state != ProcessState::fresh;
      if (managed.state == ProcessState::fresh) managed.state = ProcessState::killed;
      managed.reason = "its supervisor was killed";
      if (host.is_connected)
        reports_.push_back({machine, StateChanged{pid, managed.state, managed.reason, managed.is_unmetered}});
    }
  }
}

void SimulatedMachines::end_all(const std::string& machine, const std::string& how) {
  Machine& host = machines_[machine];
  for (auto& [pid, managed] : host.managed) {
    if (managed.state != ProcessState::running || managed.controller == kStranger) continue;
    managed.state = ProcessState::killed;
    managed.reason = how;
    if (!host.is_connected) continue;
    if (managed.kind == ManagedProcess::Kind::filter)
      reports_.push_back({machine, FilterEnded{pid, how}});
    else
      reports_.push_back({machine, StateChanged{pid, ProcessState::killed, how}});
  }
}

void SimulatedMachines::fill_disk(const std::string& machine) {
  change_delivery(machine, {.problem = "No space left on device", .lost = 12});
}

void SimulatedMachines::free_disk(const std::string& machine) { change_delivery(machine, {.lost = 17}); }

void SimulatedMachines::change_delivery(const std::string& machine, const Delivery& delivery) {
  Machine& host = machines_[machine];
  for (auto& [pid, managed] : host.managed) {
    if (managed.kind != ManagedProcess::Kind::filter || managed.controller == kStranger) continue;
    if (managed.state == ProcessState::killed || host.without_agent.contains(pid)) continue;
    managed.delivery = delivery;
    if (host.is_connected)
      reports_.push_back({machine, DeliveryChanged{pid, "", managed.name, managed.name, delivery}});
  }
}

void SimulatedMachines::replace_controller(const std::string& name) {
  controller_ = name;
  reports_.clear();
  for (auto& [machine, host] : machines_) host.is_connected = host.is_restarted = host.is_known = false;
}

// ---- connections

void SimulatedMachines::disconnect(const std::string& name, const std::string& why) {
  machines_[name].is_known = false;
  if (std::exchange(machines_[name].is_connected, false)) reports_.push_back({name, MachineLost{why}});
}

bool SimulatedMachines::connect(const std::string& name, Machine& machine) {
  if (machine.is_cut || machine.is_gone) return false;
  if (std::exchange(machine.is_connected, true)) return true;
  reports_.push_back({name, MachineFound{described(machine), std::exchange(machine.is_restarted, false)}});
  return true;
}

std::vector<ManagedProcess> SimulatedMachines::described(const Machine& machine) const {
  std::vector<ManagedProcess> all;
  for (const auto& [pid, managed] : machine.managed) {
    all.push_back(managed);
    all.back().attended = managed.controller == controller_ || managed.controller == kStranger;
  }
  return all;
}

std::vector<MachineReport> SimulatedMachines::take_reports() {
  for (auto& [name, machine] : machines_) machine.is_known = machine.is_connected;
  return std::exchange(reports_, {});
}

// ---- requests

std::vector<Answer> SimulatedMachines::ask(std::vector<Question> questions) {
  std::vector<Answer> answers;
  for (const auto& question : questions) {
    Machine& machine = machines_[question.machine];
    if (!connect(question.machine, machine)) {
      answers.push_back(Error{fmt::format("reach {}: no answer within 10 s", question.machine)});
      continue;
    }
    ReplyBody body = reply(machine, question.body);
    const auto* refused = std::get_if<Refused>(&body);
    answers.push_back(refused != nullptr ? Answer(Error{refused->why}) : Answer(std::move(body)));
  }
  return answers;
}

ReplyBody SimulatedMachines::reply(Machine& machine, const RequestBody& body) {
  if (const auto* filter = std::get_if<CreateFilter>(&body)) {
    const std::uint32_t pid = machine.last_pid++;
    ManagedProcess& made = machine.managed[pid];
    made = {.kind = ManagedProcess::Kind::filter, .pid = pid, .name = filter->name, .controller = controller_};
    made.filter = {{"10.0.0.1"}, 4000, std::string(64, 'a'), filter->name, false, fmt::format("{:032}", pid)};
    std::string name = fmt::format("{}-{}", filter->name, pid);
    while (!machine.logs.insert(name).second) name += ".2";
    made.log = "logs/" + name;
    return FilterCreated{pid, made.filter, made.log};
  }
  if (const auto* process = std::get_if<CreateProcess>(&body)) {
    const std::uint32_t pid = machine.last_pid++;
    machine.managed[pid] = {.pid = pid,
                            .name = process->name,
                            .job = process->job,
                            .controller = controller_,
                            .state = ProcessState::fresh,
                            .filter = process->filter};
    return ProcessCreated{.pid = pid};
  }
  if (std::holds_alternative<ListManaged>(body)) return ManagedList{described(machine)};
  if (std::holds_alternative<ListKept>(body)) {
    KeptFiles kept;
    for (const auto& log : machine.logs) kept.files.push_back({.name = log, .size_bytes = 2});
    return kept;
  }
  if (const auto* get = std::get_if<GetLog>(&body)) {
    if (!machine.logs.contains(get->log)) return Refused{fmt::format("no log '{}' is kept here", get->log)};
    if (get->file.empty()) return LogFiles{{"result"}};
    return LogPiece{"17", true, 1};
  }
  const std::uint32_t pid = pid_of(body);
  return pid == 0 ? ReplyBody(Done{}) : change(machine, pid, body);
}

ReplyBody SimulatedMachines::change(Machine& machine, std::uint32_t pid, const RequestBody& body) {
  const auto found = machine.managed.find(pid);
  if (found == machine.managed.end())
    return Refused{fmt::format("process {} is not managed by this daemon ('jobs' lists those that are)", pid)};
  ManagedProcess& managed = found->second;
  if (std::holds_alternative<Adopt>(body)) {
    if (managed.controller == kStranger) return Refused{"it belongs to a controller that is connected"};
    managed.controller = controller_;
    return Done{};
  }
  if (managed.controller != controller_) {
    const std::string why = fmt::format("process {} belongs to the controller {}", pid, managed.controller);
    if (machine.is_known) trespasses_.push_back(why);
    return Refused{why};
  }
  const bool is_filter = managed.kind == ManagedProcess::Kind::filter;
  const bool has_ended = managed.state == ProcessState::killed;
  if (std::holds_alternative<Release>(body)) {
    if (!is_filter && !has_ended) return Refused{"it has to be killed first"};
    machine.managed.erase(found);
    return Done{};
  }
  if (std::holds_alternative<EndFilter>(body)) {
    if (!has_ended && machine.without_agent.contains(pid)) return Refused{"it has ended already"};
    managed.state = ProcessState::killed;
    if (managed.reason.empty()) managed.reason = "normal";
    return FilterFinished{managed.reason};
  }
  if (is_filter || has_ended) return Refused{"it has ended already"};
  if (std::holds_alternative<StartProcess>(body)) managed.state = ProcessState::running;
  if (std::holds_alternative<StopProcess>(body)) managed.state = ProcessState::stopped;
  if (std::holds_alternative<KillProcess>(body)) managed.state = ProcessState::killed;
  return Done{};
}

}  // namespace dpm::control::test
