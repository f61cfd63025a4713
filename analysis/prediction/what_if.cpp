#include "analysis/prediction/what_if.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "model/nearest_name.hpp"

namespace dpm {
namespace {

using Processes = std::vector<std::uint32_t>;

std::string number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

class Changes {
 public:
  Changes(const History& history, Target& target) : history_(history), target_(target) {
    for (const auto& process : history.info.processes) process_names_.push_back(process.name);
    for (const auto& machine : target.machines) machine_names_.push_back(machine.name);
  }

  Result<void> change(const SpeedChange& change) {
    const std::string here = "speed of '" + change.process + "': ";
    if (!(change.factor >= 1 / kLargestFactor && change.factor <= kLargestFactor))
      return Error{here + "a factor from " + number(1 / kLargestFactor) + " to " + number(kLargestFactor) +
                   " is needed: 2 is twice as fast"};
    const auto processes = processes_called(here, change.process);
    if (!processes) return processes.error();
    target_.process_speed.resize(process_names_.size(), 1);
    for (const std::uint32_t p : *processes) target_.process_speed[p] *= change.factor;
    return {};
  }

  Result<void> change(const CoresChange& change) {
    const auto machine = machine_called(change.machine);
    if (!machine)
      return Error{"cores of '" + change.machine + "': no such machine" + did_you_mean(change.machine, machine_names_)};
    if (change.cores == 0) return Error{"cores of '" + change.machine + "': a machine has at least 1"};
    target_.machines[*machine].cores = change.cores;
    return {};
  }

  Result<void> change(const LinkChange& change) {
    const std::string here = "link '" + change.ends + "': ";
    if (!(change.delay_factor >= 0 && change.delay_factor <= kLargestFactor))
      return Error{here + "a factor from 0 to " + number(kLargestFactor) + " is needed: 0.5 is half the delay"};
    const auto is_machine = [this](const std::string& name) { return machine_called(name).has_value(); };
    const auto is_process = [this](const std::string& name) { return is_one_of(process_names_, name); };
    if (const auto machines = split(change.ends, is_machine))
      return lengthen_machines(here, *machines, change.delay_factor);
    if (const auto processes = split(change.ends, is_process))
      return lengthen_processes(here, *processes, change.delay_factor);
    return Error{here + "expected two machines or two processes, A-B" + unknown_end(change.ends)};
  }

  std::vector<std::string> notes;

 private:
  using Ends = std::pair<std::string, std::string>;

  static bool is_one_of(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  std::optional<std::size_t> machine_called(const std::string& name) const {
    const auto found = std::find(machine_names_.begin(), machine_names_.end(), name);
    if (found == machine_names_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - machine_names_.begin());
  }

  // With their threads; at least one, all with something to replay.
  Result<Processes> processes_called(const std::string& here, const std::string& name) const {
    Processes processes;
    const auto& infos = history_.info.processes;
    bool known = false;
    for (std::uint32_t p = 0; p < infos.size(); ++p) {
      const std::uint32_t group = infos[p].group.value;
      const bool called = infos[p].name == name || (group < infos.size() && infos[group].name == name);
      known |= called;
      if (called && history_.first_event[p] != history_.first_event[p + 1]) processes.push_back(p);
    }
    if (!known) return Error{here + "no process '" + name + "' in the trace" + did_you_mean(name, process_names_)};
    if (processes.empty())
      return Error{here + "process '" + name +
                   "' is outside the computation, or the trace has nothing of it; --everybody takes all processes in"};
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

  // Which of the two is not known, when the other one is.
  std::string unknown_end(const std::string& ends) const {
    for (std::size_t at = ends.find('-'); at != std::string::npos; at = ends.find('-', at + 1)) {
      const std::string first = ends.substr(0, at), second = ends.substr(at + 1);
      for (const auto* names : {&machine_names_, &process_names_}) {
        const char* kind = names == &machine_names_ ? "machine" : "process";
        for (const auto& [known, other] : {Ends{first, second}, Ends{second, first}}) {
          if (!is_one_of(*names, known) || is_one_of(*names, other)) continue;
          const std::string meant = did_you_mean(other, *names);
          if (!meant.empty() || names == &process_names_)
            return std::string("; there is no ") + kind + " '" + other + "'" + meant;
        }
      }
    }
    return "";
  }

  Result<void> lengthen_machines(const std::string& here, const Ends& ends, double factor) {
    if (ends.first == ends.second)
      return Error{here + "messages within a machine go over no link; name two machines, or two processes"};
    DelayModel& delays = target_.delays;
    PairClass pair{ends.first, ends.second, delays.between(ends.first, ends.second)};
    pair.delays.delivery_s = scaled(pair.delays.delivery_s, factor);
    delays.pairs.insert(delays.pairs.begin(), std::move(pair));  // of several pairs the first counts
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
  for (const auto& change : what_if.links)
    if (auto done = changes.change(change); !done) return done.error();
  return std::move(changes.notes);
}

PiecewiseLinear scaled(const PiecewiseLinear& line, double factor) {
  if (line.points().empty()) return line;
  auto points = line.points();
  for (auto& point : points) point.second *= factor;
  return PiecewiseLinear::through(std::move(points)).value();
}

}  // namespace dpm
