#include "analysis/prediction/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "model/nearest_name.hpp"
#include "model/process_names.hpp"

namespace dpm {
namespace {

using Processes = std::vector<std::uint32_t>;

constexpr std::size_t kMostMachines = 0xfffe;  // MachineId has 16 bits, and one value means none

std::string number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string name_of_copy(const std::string& server, std::uint32_t number) {
  return fmt::format("{}#{}", server, number);
}

template <typename Described>
std::vector<std::string> names_of(const std::vector<Described>& described) {
  std::vector<std::string> names;
  for (const auto& one : described) names.push_back(one.name);
  return names;
}

bool is_one_of(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The one process that is to get copies.
Result<ProcessId> server_of(const ReplicaChange& change, const History& history) {
  const std::string here = fmt::format("replicas of '{}': ", change.process);
  const auto names = names_of(history.info.processes);
  if (auto checked = check(change); !checked) return checked.error();
  const auto found = std::find(names.begin(), names.end(), change.process);
  if (found == names.end())
    return Error{fmt::format("{}no such process in the trace{}", here, did_you_mean(change.process, names))};
  if (std::count(names.begin(), names.end(), change.process) > 1)
    return Error{here + "several processes have this name, and only a single process can have copies"};
  const ProcessId server{static_cast<std::uint32_t>(found - names.begin())};
  for (const auto& process : history.info.processes)
    if (process.group == server)
      return Error{here + "it has threads, and which of them would take a request of a copy is not known"};
  if (history.of(server).empty())
    return Error{here +
                 "it is outside the computation, or has no events in the trace; --everybody includes all processes"};
  return server;
}

class Changes {
 public:
  Changes(const History& history, Target& target) : history_(history), target_(target) {
    process_names_ = names_of(history.info.processes);
    machine_names_ = names_of(target.machines);
  }

  Result<void> change(const SpeedChange& change) {
    const std::string here = fmt::format("speed of '{}': ", change.process);
    if (auto checked = check(change); !checked) return checked;
    const auto processes = processes_called(here, change.process);
    if (!processes) return processes.error();
    target_.process_speed.resize(process_names_.size(), 1);
    for (const std::uint32_t p : *processes) target_.process_speed[p] *= change.factor;
    return {};
  }

  Result<void> change(const CoresChange& change) {
    const auto machine = machine_called(change.machine);
    if (!machine)
      return Error{fmt::format("cores of '{}': no such machine{}", change.machine,
                               did_you_mean(change.machine, machine_names_))};
    if (auto checked = check(change); !checked) return checked;
    target_.machines[*machine].cores = change.cores;
    return {};
  }

  Result<void> change(const DelayChange& change) {
    const std::string here = fmt::format("delay of '{}': ", change.ends);
    if (auto checked = check(change); !checked) return checked;
    if (change.ends == kAllMachines) {
      scale_delays(target_.delays, change.factor);
      return {};
    }
    const auto is_machine = [this](const std::string& name) { return machine_called(name).has_value(); };
    const auto is_process = [this](const std::string& name) { return is_one_of(process_names_, name); };
    if (const auto machines = split(change.ends, is_machine)) return lengthen_machines(here, *machines, change.factor);
    if (const auto processes = split(change.ends, is_process))
      return lengthen_processes(here, *processes, change.factor);
    return Error{fmt::format("{}expected two machines or two processes, A-B{}", here, unknown_end(change.ends))};
  }

  Result<void> change(const ReplicaChange& change) {
    const auto server = server_of(change, history_);
    if (!server) return server.error();
    auto work = find_server_work(history_, *server);
    if (!work) return work.error();
    Replicas replicas{server->value, {}, std::move(*work)};
    const std::string here = fmt::format("replicas of '{}': ", change.process);
    for (std::uint32_t number = 2; number <= change.copies; ++number) {
      const std::string name = name_of_copy(change.process, number);
      const auto copy = std::find(process_names_.begin(), process_names_.end(), name) - process_names_.begin();
      replicas.copies.push_back(static_cast<std::uint32_t>(copy));
      if (auto done = put_copy(here, change, *server, static_cast<std::size_t>(copy), name); !done) return done;
    }
    notes.push_back(
        fmt::format("{}each client's requests, {} in all, go to them in round robin; a copy does with a request what "
                    "'{}' did with it, which is right if the server keeps no state between requests",
                    here, replicas.work.requests, change.process));
    for (const auto& caveat : replicas.work.caveats) notes.push_back(fmt::format("{}may be wrong: {}", here, caveat));
    target_.replicas.push_back(std::move(replicas));
    return {};
  }

  std::vector<std::string> notes;

 private:
  Result<void> put_copy(const std::string& here, const ReplicaChange& change, ProcessId server, std::size_t copy,
                        const std::string& name) {
    if (!target_.process_speed.empty()) target_.process_speed[copy] = target_.process_speed[server.value];
    if (!change.machine.empty()) {
      const auto machine = machine_called(change.machine);
      if (!machine)
        return Error{
            fmt::format("{}no machine '{}'{}", here, change.machine, did_you_mean(change.machine, machine_names_))};
      target_.machine_of[copy] = MachineId{static_cast<std::uint16_t>(*machine)};
      return {};
    }
    // A copy's own machine is like the server's present one; if a placement put the copy elsewhere, its own machine
    // stays empty.
    MachineInfo& own = target_.machines[*machine_called(name)];
    const MachineInfo& like = target_.machines[target_.machine_of[server.value].value];
    own.speed = like.speed;
    own.cores = like.cores;
    return {};
  }

  using Ends = std::pair<std::string, std::string>;

  std::optional<std::size_t> machine_called(const std::string& name) const {
    const auto found = std::find(machine_names_.begin(), machine_names_.end(), name);
    if (found == machine_names_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - machine_names_.begin());
  }

  // The named processes with their threads; at least one, all with something to replay.
  Result<Processes> processes_called(const std::string& here, const std::string& name) const {
    Processes processes;
    const auto& infos = history_.info.processes;
    bool known = false;
    for (std::uint32_t p = 0; p < infos.size(); ++p) {
      const bool called = is_called(history_.info, ProcessId{p}, name);
      known |= called;
      if (called && history_.first_event[p] != history_.first_event[p + 1]) processes.push_back(p);
    }
    if (!known)
      return Error{fmt::format("{}no process '{}' in the trace{}", here, name, did_you_mean(name, process_names_))};
    if (processes.empty())
      return Error{
          fmt::format("{}process '{}' is outside the computation, or has no events in the trace; --everybody includes "
                      "all processes",
                      here, name)};
    return processes;
  }

  template <typename IsKnown>
  static std::optional<Ends> split(const std::string& ends, const IsKnown& is_known) {
    for (std::size_t at = ends.find('-'); at != std::string::npos; at = ends.find('-', at + 1)) {
      Ends two{ends.substr(0, at), ends.substr(at + 1)};
      if (is_known(two.first) && is_known(two.second)) return two;
    }
    return std::nullopt;
  }

  // Reports which of the two is not known, when the other one is.
  std::string unknown_end(const std::string& ends) const {
    for (std::size_t at = ends.find('-'); at != std::string::npos; at = ends.find('-', at + 1)) {
      const std::string first = ends.substr(0, at), second = ends.substr(at + 1);
      for (const auto* names : {&machine_names_, &process_names_}) {
        const char* kind = names == &machine_names_ ? "machine" : "process";
        for (const auto& [known, other] : {Ends{first, second}, Ends{second, first}}) {
          if (!is_one_of(*names, known) || is_one_of(*names, other)) continue;
          const std::string meant = did_you_mean(other, *names);
          if (!meant.empty() || names == &process_names_)
            return fmt::format("; there is no {} '{}'{}", kind, other, meant);
        }
      }
    }
    return "";
  }

  Result<void> lengthen_machines(const std::string& here, const Ends& ends, double factor) {
    if (ends.first == ends.second)
      return Error{here + "messages within a machine go over no link; name two machines, or two processes"};
    scale_delays(target_.delays, ends.first, ends.second, factor);
    return {};
  }

  Result<void> lengthen_processes(const std::string& here, const Ends& ends, double factor) {
    const auto a = processes_called(here, ends.first), b = processes_called(here, ends.second);
    if (!a) return a.error();
    if (!b) return b.error();
    bool talk = false;
    for (const std::uint32_t p : *a) {
      for (const std::uint32_t q : *b) {
        if (p == q || (ends.first == ends.second && p > q)) continue;
        talk = talk || sends_to(p, q) || sends_to(q, p);
        target_.links.push_back({p, q, factor});
      }
    }
    if (!talk) notes.push_back(here + "no message goes between them, so nothing changes");
    return {};
  }

  bool sends_to(std::uint32_t sender, std::uint32_t receiver) const {
    const auto events = history_.of(ProcessId{sender});
    return std::any_of(events.begin(), events.end(), [receiver](const HistoryEvent& event) {
      return event.kind() == HistoryKind::send && event.peer == receiver;
    });
  }

  const History& history_;
  Target& target_;
  std::vector<std::string> process_names_, machine_names_;
};

}  // namespace

Result<std::vector<std::string>> apply(const WhatIf& what_if, const History& history, Target& target) {
  Changes changes(history, target);
  for (const auto& change : what_if.speeds)
    if (auto done = changes.change(change); !done) return done.error();
  for (const auto& change : what_if.cores)
    if (auto done = changes.change(change); !done) return done.error();
  for (const auto& change : what_if.delays)
    if (auto done = changes.change(change); !done) return done.error();
  for (const auto& change : what_if.replicas)
    if (auto done = changes.change(change); !done) return done.error();
  return std::move(changes.notes);
}

Result<void> add_copies(const WhatIf& what_if, History& history) {
  std::set<std::string> servers;
  for (const auto& change : what_if.replicas) {
    const auto server = server_of(change, history);
    if (!server) return server.error();
    const std::string here = fmt::format("replicas of '{}': ", change.process);
    if (!servers.insert(change.process).second) return Error{here + "given twice"};
    for (std::uint32_t number = 2; number <= change.copies; ++number) {
      const std::string name = name_of_copy(change.process, number);
      if (is_one_of(names_of(history.info.processes), name) || is_one_of(names_of(history.info.machines), name))
        return Error{fmt::format("{}the trace has a '{}' already", here, name)};
      ProcessInfo copy = history.info[*server];
      copy.name = name;
      if (change.machine.empty()) {
        if (history.info.machines.size() >= kMostMachines) return Error{here + "too many machines"};
        MachineInfo machine = history.info[copy.machine];
        machine.name = name;
        copy.machine = MachineId{static_cast<std::uint16_t>(history.info.machines.size())};
        history.info.machines.push_back(std::move(machine));
      }
      history.info.processes.push_back(std::move(copy));
      history.first_event.push_back(history.first_event.back());
      history.local_spans.push_back({});
      history.local_lifetimes.push_back({});
      history.looks_in_vain.push_back({});
    }
  }
  return {};
}

Result<void> check(const SpeedChange& change) {
  if (change.factor >= 1 / kLargestFactor && change.factor <= kLargestFactor) return {};
  return Error{fmt::format("speed of '{}': a factor from {} to {} is needed: 2 is twice as fast", change.process,
                           number(1 / kLargestFactor), number(kLargestFactor))};
}

Result<void> check(const DelayChange& change) {
  if (change.factor >= 0 && change.factor <= kLargestFactor) return {};
  return Error{fmt::format("delay of '{}': a factor from 0 to {} is needed: 0.5 is half the delay", change.ends,
                           number(kLargestFactor))};
}

Result<void> check(const CoresChange& change) {
  if (change.cores > 0) return {};
  return Error{fmt::format("cores of '{}': a machine has at least 1", change.machine)};
}

Result<void> check(const ReplicaChange& change) {
  if (change.copies >= 2 && change.copies <= kMostCopies) return {};
  return Error{fmt::format("replicas of '{}': from 2 to {} are possible, the process itself among them", change.process,
                           kMostCopies)};
}

void scale_all_delays(DelayModel& delays, double factor) {
  delays.local.delivery_s = scaled(delays.local.delivery_s, factor);
  scale_delays(delays, factor);
}

void scale_delays(DelayModel& delays, double factor) {
  delays.remote.delivery_s = scaled(delays.remote.delivery_s, factor);
  for (auto& pair : delays.pairs) pair.delays.delivery_s = scaled(pair.delays.delivery_s, factor);
}

void scale_delays(DelayModel& delays, const std::string& machine_a, const std::string& machine_b, double factor) {
  PairClass pair{machine_a, machine_b, delays.between(machine_a, machine_b)};
  pair.delays.delivery_s = scaled(pair.delays.delivery_s, factor);
  delays.pairs.insert(delays.pairs.begin(), std::move(pair));  // of several pairs the first applies
}

PiecewiseLinear scaled(const PiecewiseLinear& line, double factor) {
  if (line.points().empty()) return line;
  auto points = line.points();
  for (auto& point : points) point.second *= factor;
  return PiecewiseLinear::through(std::move(points)).value();
}

}  // namespace dpm
