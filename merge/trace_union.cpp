#include "merge/trace_union.hpp"

#include <algorithm>

namespace dpm {
namespace {

// An id of an input as one of the union; none stays none. False if the input's table has no such id.
template <typename IdType>
bool map_id(const std::vector<IdType>& table, IdType& id) {
  if (id.is_none()) return true;
  if (id.value >= table.size()) return false;
  id = table[id.value];
  return true;
}

template <typename IdType>
IdType mapped(const std::vector<IdType>& table, IdType id) {
  return map_id(table, id) ? id : IdType{};
}

bool is_known_at(const std::vector<std::string>& known, const std::string& address) {
  return std::find(known.begin(), known.end(), address) != known.end();
}

bool same_delays(const DelayModel& a, const DelayModel& b) {
  const auto same = [](const DelayClass& x, const DelayClass& y) {
    return x.delivery_s.points() == y.delivery_s.points() && x.sender_cpu_s.points() == y.sender_cpu_s.points() &&
           x.receiver_cpu_s.points() == y.receiver_cpu_s.points();
  };
  return a.name == b.name && a.pairs.size() == b.pairs.size() && same(a.local, b.local) && same(a.remote, b.remote);
}

}  // namespace

TraceUnion::TraceUnion() : joiner_(info_) { info_.filters.clear(); }

std::size_t TraceUnion::add(const TraceInfo& info, std::string label) {
  take_in_run(info);
  Input input;
  input.info = &info;
  input.label = std::move(label);
  inputs_.push_back(std::move(input));
  take_in(inputs_.back());
  return inputs_.size() - 1;
}

// What is said of the run as a whole stays where all agree.
void TraceUnion::take_in_run(const TraceInfo& run) {
  const auto agree = [first = inputs_.empty()](std::string& ours, const std::string& theirs, const char* between) {
    if (first) {
      ours = theirs;
    } else if (ours != theirs && between != nullptr && ours.find(theirs) == std::string::npos) {
      ours += between + theirs;
    } else if (ours != theirs && between == nullptr) {
      ours.clear();
    }
  };
  if (inputs_.empty()) {
    info_.seed = run.seed;
    info_.delays = run.delays;
  }
  agree(info_.source, run.source, "+");
  agree(info_.scenario, run.scenario, "; ");
  agree(info_.placement, run.placement, nullptr);
  if (info_.seed != run.seed) info_.seed = 0;
  delays_differ_ |= !same_delays(info_.delays, run.delays);
}

MachineId TraceUnion::machine_of(const MachineInfo& machine, const std::string& label) {
  const auto [known, is_new] =
      machines_.try_emplace(machine.name, MachineId{static_cast<std::uint16_t>(info_.machines.size())});
  if (is_new) {
    info_.machines.push_back(machine);
    return known->second;
  }
  MachineInfo& ours = info_.machines[known->second.value];
  const bool meet = std::any_of(machine.addresses.begin(), machine.addresses.end(),
                                [&](const auto& address) { return is_known_at(ours.addresses, address); });
  if (!meet && !ours.addresses.empty() && !machine.addresses.empty()) {
    same_name_.push_back("machine '" + machine.name + "' of " + label +
                         " has no address in common with the one of that name before: they are taken for one");
  }
  for (const auto& address : machine.addresses)
    if (!is_known_at(ours.addresses, address)) ours.addresses.push_back(address);
  return known->second;
}

std::string TraceUnion::free_name(const ProcessInfo& process) {
  if (names_.insert(process.name).second) return process.name;
  std::string base = process.name;
  if (!process.machine.is_none()) {
    base += "@" + info_[process.machine].name;
    if (names_.insert(base).second) return base;
  }
  for (std::size_t times = 2;; ++times) {
    std::string name = base + "#" + std::to_string(times);
    if (names_.insert(name).second) return name;
  }
}

ProcessId TraceUnion::process_of(const Input& input, const ProcessInfo& process) {
  ProcessInfo ours = process;
  ours.machine = mapped(input.machines, process.machine);
  ours.filter = process.filter < input.filters.size() ? input.filters[process.filter] : 0;
  ours.group = {};
  const ProcessId next{static_cast<std::uint32_t>(info_.processes.size())};
  const bool is_provable = !ours.machine.is_none() && process.tid != 0 && process.began_ns != 0;
  if (is_provable) {
    const auto [known, is_new] = proven_.try_emplace({ours.machine, process.pid, process.tid, process.began_ns}, next);
    if (!is_new) {
      ProcessInfo& before = info_.processes[known->second.value];
      before.acquired = before.acquired && process.acquired;
      return known->second;
    }
  }
  ours.name = free_name(ours);
  info_.processes.push_back(std::move(ours));
  return next;
}

ChannelInfo TraceUnion::described(const Input& input, const ChannelInfo& channel) const {
  ChannelInfo ours = channel;
  ours.owner = mapped(input.processes, channel.owner);
  for (ChannelEnd* end : {&ours.sender, &ours.receiver}) {
    end->machine = mapped(input.machines, end->machine);
    end->address = without_mapping(end->address);
  }
  return ours;
}

// Everything that the input's tables have grown by.
void TraceUnion::take_in(Input& input) {
  const TraceInfo& theirs = *input.info;
  for (std::size_t i = input.filters.size(); i < theirs.filters.size(); ++i) {
    input.filters.push_back(static_cast<std::uint16_t>(info_.filters.size()));
    info_.filters.push_back(input.label + "/" + theirs.filters[i]);
  }
  for (std::size_t i = input.machines.size(); i < theirs.machines.size(); ++i)
    input.machines.push_back(machine_of(theirs.machines[i], input.label));
  const std::size_t first_process = input.processes.size();
  for (std::size_t i = first_process; i < theirs.processes.size(); ++i) {
    input.knows_beginning &= !theirs.processes[i].acquired;
    input.processes.push_back(process_of(input, theirs.processes[i]));
    input.process_names.push_back(theirs.processes[i].name);
  }
  for (std::size_t i = first_process; i < theirs.processes.size(); ++i) {
    const ProcessId group = mapped(input.processes, theirs.processes[i].group);
    if (!group.is_none()) info_.processes[input.processes[i].value].group = group;
  }
  const std::size_t number = static_cast<std::size_t>(&input - inputs_.data());
  for (std::size_t i = input.channels.size(); i < theirs.channels.size(); ++i)
    input.channels.push_back(joiner_.join(described(input, theirs.channels[i]),
                                          {.input = number, .knows_beginning = input.knows_beginning}));
  for (std::size_t i = input.channel_sets.size(); i < theirs.channel_sets.size(); ++i) {
    if (theirs.channel_sets[i].empty()) {  // "any channel", or a set whose description was lost
      input.channel_sets.push_back(0);
      continue;
    }
    input.channel_sets.push_back(static_cast<std::uint32_t>(info_.channel_sets.size()));
    auto& set = info_.channel_sets.emplace_back();
    for (const ChannelId channel : theirs.channel_sets[i])
      if (const ChannelId ours = mapped(input.channels, channel); !ours.is_none()) set.push_back(ours);
  }
  for (; input.modules < theirs.modules.size(); ++input.modules) {
    CodeModule module = theirs.modules[input.modules];
    module.process = mapped(input.processes, module.process);
    info_.modules.push_back(std::move(module));
  }
}

void TraceUnion::refresh() {
  for (Input& input : inputs_) {
    take_in(input);
    const TraceInfo& theirs = *input.info;
    for (std::size_t i = 0; i < input.channels.size(); ++i)
      joiner_.learn(input.channels[i], described(input, theirs.channels[i]));
    for (std::size_t i = 0; i < input.processes.size(); ++i) {
      if (input.process_names[i] == theirs.processes[i].name) continue;
      input.process_names[i] = theirs.processes[i].name;
      ProcessInfo& ours = info_.processes[input.processes[i].value];
      ProcessInfo renamed = ours;
      renamed.name = theirs.processes[i].name;
      names_.erase(ours.name);
      ours.name = free_name(renamed);
      ours.program = theirs.processes[i].program;
    }
  }
}

bool TraceUnion::remap(const Input& input, Event& event) const {
  if (event.process.is_none() || event.machine.is_none()) return false;
  bool known = map_id(input.processes, event.process) && map_id(input.processes, event.peer) &&
               map_id(input.channels, event.channel) && map_id(input.channels, event.passed_channel) &&
               map_id(input.machines, event.machine);
  if (event.type == EventType::receive_call) {
    known = known && event.code < input.channel_sets.size();
    if (known) event.code = input.channel_sets[event.code];
  } else if (event.type == EventType::accept) {
    ChannelId listener{event.code};
    known = known && map_id(input.channels, listener);
    event.code = listener.value;
  }
  return known;
}

void TraceUnion::remap(std::size_t number, std::span<const Event> batch, std::vector<Event>& out) {
  Input& input = inputs_.at(number);
  take_in(input);
  for (Event event : batch) {
    if (remap(input, event)) {
      out.push_back(event);
    } else {
      ++refused_events_;
    }
  }
}

std::vector<std::string> TraceUnion::warnings() const {
  std::vector<std::string> warnings = same_name_;
  if (delays_differ_) warnings.push_back("the traces have different delay models: that of the first is kept");
  const auto of_channels = joiner_.warnings();
  warnings.insert(warnings.end(), of_channels.begin(), of_channels.end());
  return warnings;
}

}  // namespace dpm
