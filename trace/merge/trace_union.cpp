#include "trace/merge/trace_union.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dpm {
namespace {

// Converts an id of an input to the union's; none stays none. False if the input's table has no such id.
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

constexpr std::size_t kJoinedBytesMax = 4096;  // a job runs new commands all the time

// True if it changed `ours`.
bool join_texts(std::string& ours, const std::string& theirs, const char* between) {
  if (theirs.empty() || ours.find(theirs) != std::string::npos || ours.size() > kJoinedBytesMax) return false;
  ours += (ours.empty() ? "" : between) + theirs;
  return true;
}

bool same_delays(const DelayModel& a, const DelayModel& b) {
  const auto same = [](const DelayClass& x, const DelayClass& y) {
    return x.delivery_s.points() == y.delivery_s.points() && x.sender_cpu_s.points() == y.sender_cpu_s.points() &&
           x.receiver_cpu_s.points() == y.receiver_cpu_s.points();
  };
  return a.name == b.name && a.pairs.size() == b.pairs.size() && same(a.local, b.local) && same(a.remote, b.remote);
}

}  // namespace

TraceUnion::TraceUnion(Tables tables) : tables_(tables), joiner_(info_, growth_) { info_.filters.clear(); }

std::size_t TraceUnion::add(std::string label) {
  inputs_[inputs_added_].label = std::move(label);
  return inputs_added_++;
}

std::size_t TraceUnion::add(const TraceInfo& info, std::string label) {
  agree_on_run(info);
  const std::size_t number = add(std::move(label));
  Input& input = inputs_.at(number);
  for (const auto& filter : info.filters) {
    input.filters.push_back(static_cast<std::uint16_t>(info_.filters.size()));
    info_.filters.push_back(fmt::format("{}/{}", input.label, filter));
  }
  TraceGrowth tables = TraceGrowth::since({}, info);
  tables.source.clear();
  tables.scenario.clear();
  tables.properties.reset();
  grow(number, tables);
  return number;
}

// Properties of the run as a whole stay where all inputs agree.
void TraceUnion::agree_on_run(const TraceInfo& run) {
  const bool is_first = inputs_added_ == 0;
  if (is_first) {
    info_.seed = run.seed;
    info_.delays = run.delays;
    info_.placement = run.placement;
  }
  join_properties(run.properties);
  join_texts(info_.source, run.source, "+");
  join_texts(info_.scenario, run.scenario, "; ");
  if (info_.placement != run.placement) info_.placement.clear();
  if (info_.seed != run.seed) info_.seed = 0;
  delays_differ_ |= !same_delays(info_.delays, run.delays);
}

bool TraceUnion::join_properties(const SourceProperties& theirs) {
  const SourceProperties before = info_.properties;
  const bool is_first = !std::exchange(has_properties_, true);
  info_.properties = is_first ? theirs : before.joined_with(theirs);
  return is_first || info_.properties != before;
}

void TraceUnion::grow(std::size_t number, const TraceGrowth& growth) {
  Input& input = inputs_.at(number);
  if (join_texts(info_.source, growth.source, "+")) growth_.source = info_.source;
  if (join_texts(info_.scenario, growth.scenario, "; ")) growth_.scenario = info_.scenario;
  if (growth.properties && join_properties(*growth.properties)) growth_.properties = info_.properties;
  take_rows(number, input, growth);
  take_news(input, growth);
  pass_on();
}

void TraceUnion::finish(std::size_t number) {
  const auto input = inputs_.find(number);
  if (input == inputs_.end()) return;
  for (std::size_t i = 0; i < input->second.channels.size(); ++i)
    if (!input->second.is_closed[i]) joiner_.close(input->second.channels[i], false);
  inputs_.erase(input);
}

TraceGrowth TraceUnion::take_growth() { return std::exchange(growth_, {}); }

void TraceUnion::pass_on() {
  if (tables_ == Tables::passed_on) return;
  TraceGrowth added = std::exchange(growth_, {});
  added.take_header();  // info_ contains it
  added.add_to(info_);
}

MachineId TraceUnion::machine_of(const MachineInfo& machine, const std::string& label) {
  const auto [known, is_new] =
      machines_.try_emplace(machine.name, MachineId{static_cast<std::uint16_t>(info_.machines.size())});
  if (is_new) {
    info_.machines.push_back(machine);
    growth_.machines.push_back(machine);
    return known->second;
  }
  MachineInfo& ours = info_.machines[known->second.value];
  const bool share_one = std::any_of(machine.addresses.begin(), machine.addresses.end(),
                                     [&](const auto& address) { return is_known_at(ours.addresses, address); });
  if (!share_one && !ours.addresses.empty() && !machine.addresses.empty()) {
    same_name_.push_back(fmt::format(
        "machine '{}' of {} has no address in common with the earlier machine of that name: both count as one machine",
        machine.name, label));
  }
  bool has_more = false;
  for (const auto& address : machine.addresses) {
    if (is_known_at(ours.addresses, address)) continue;
    ours.addresses.push_back(address);
    has_more = true;
  }
  if (has_more) growth_.machines_again.push_back({known->second, ours});
  return known->second;
}

std::string TraceUnion::free_name(const ProcessInfo& process) {
  if (names_.take(process.name)) return process.name;
  std::string base = process.name;
  if (!process.machine.is_none()) {
    base += "@" + info_[process.machine].name;
    if (names_.take(base)) return base;
  }
  return names_.take_numbered(base);
}

ProcessId TraceUnion::process_of(const Input& input, const ProcessInfo& process) {
  ProcessInfo ours = process;
  ours.machine = mapped(input.machines, process.machine);
  ours.filter = process.filter < input.filters.size() ? input.filters[process.filter] : 0;
  ours.group = {};
  const ProcessId next{static_cast<std::uint32_t>(sizes_.processes)};
  const bool is_provable = !ours.machine.is_none() && process.tid != 0 && process.began_ns != 0;
  if (is_provable) {
    const auto [known, is_new] = proven_.try_emplace({ours.machine, process.pid, process.tid, process.began_ns}, next);
    if (!is_new) {
      ProcessInfo& before = living_.at(known->second.value);
      if (before.acquired && !process.acquired) {
        before.acquired = false;
        changed(known->second, before);
      }
      return known->second;
    }
  }
  ours.name = free_name(ours);
  remember(next, ours);
  growth_.processes.push_back(std::move(ours));
  ++sizes_.processes;
  return next;
}

// Whole traces are joined after their processes have ended.
void TraceUnion::remember(ProcessId process, const ProcessInfo& described) {
  living_[process.value] = described;
  if (tables_ == Tables::kept) return;
  oldest_living_.push_back(process);
  while (oldest_living_.size() > kLivingMax) {
    forget(oldest_living_.front());
    oldest_living_.pop_front();
  }
}

void TraceUnion::forget(ProcessId process) {
  const auto found = living_.find(process.value);
  if (found == living_.end()) return;
  const ProcessInfo& info = found->second;
  proven_.erase({info.machine, info.pid, info.tid, info.began_ns});
  living_.erase(found);
}

void TraceUnion::rename(ProcessId process, const std::string& name, const std::string& program) {
  const auto found = living_.find(process.value);
  ProcessInfo now = found == living_.end() ? ProcessInfo{} : found->second;
  if (found != living_.end()) names_.give_back(now.name);
  now.name = name;
  now.name = free_name(now);
  now.program = program;
  growth_.renamed.push_back({process, now.name, program});
  if (found != living_.end()) found->second = now;
}

void TraceUnion::belongs_to(ProcessId process, ProcessId group) {
  const auto found = living_.find(process.value);
  if (group.is_none() || found == living_.end() || found->second.group == group) return;
  found->second.group = group;
  changed(process, found->second);
}

void TraceUnion::changed(ProcessId process, const ProcessInfo& now) {
  const std::size_t first = sizes_.processes - growth_.processes.size();
  if (process.value >= first)
    growth_.processes[process.value - first] = now;
  else
    growth_.processes_again.push_back({process, now});
}

ChannelEnd TraceUnion::described(const Input& input, ChannelEnd end) const {
  end.machine = mapped(input.machines, end.machine);
  end.address = without_mapping(end.address);
  return end;
}

ChannelInfo TraceUnion::described(const Input& input, const ChannelInfo& channel) const {
  ChannelInfo ours = channel;
  ours.owner = mapped(input.processes, channel.owner);
  ours.sender = described(input, channel.sender);
  ours.receiver = described(input, channel.receiver);
  return ours;
}

std::uint32_t TraceUnion::add_set(const Input& input, const std::vector<ChannelId>& theirs) {
  if (theirs.empty()) return 0;  // "any channel", or a set whose description was lost
  auto& set = growth_.channel_sets.emplace_back();
  for (const ChannelId channel : theirs)
    if (const ChannelId ours = mapped(input.channels, channel); !ours.is_none()) set.push_back(ours);
  return static_cast<std::uint32_t>(sizes_.channel_sets++);
}

void TraceUnion::take_rows(std::size_t number, Input& input, const TraceGrowth& growth) {
  for (const auto& machine : growth.machines) input.machines.push_back(machine_of(machine, input.label));
  const std::size_t first_process = input.processes.size();
  for (const auto& process : growth.processes) {
    input.knows_beginning &= !process.acquired;
    input.processes.push_back(process_of(input, process));
  }
  for (std::size_t i = 0; i < growth.processes.size(); ++i)
    belongs_to(input.processes[first_process + i], mapped(input.processes, growth.processes[i].group));
  for (const auto& channel : growth.channels) {
    input.channels.push_back(joiner_.join(described(input, channel), {number, input.knows_beginning}));
    input.is_closed.push_back(false);
  }
  sizes_.channels = joiner_.channels().given_out();
  for (const auto& set : growth.channel_sets) input.channel_sets.push_back(add_set(input, set));
  for (CodeModule module : growth.modules) {
    module.process = mapped(input.processes, module.process);
    growth_.modules.push_back(std::move(module));
  }
  for (WaitCause cause : growth.wait_causes) {
    cause.process = mapped(input.processes, cause.process);
    cause.other = mapped(input.processes, cause.other);
    growth_.wait_causes.push_back(std::move(cause));
  }
  for (const PrimitiveEvent& event : growth.primitive_events) {
    const auto [known, is_new] =
        primitive_events_.try_emplace(event, static_cast<std::uint32_t>(primitive_events_.size()));
    if (is_new) growth_.primitive_events.push_back(event), ++sizes_.primitive_events;
    input.primitive_events.push_back(known->second);
  }
}

void TraceUnion::take_news(Input& input, const TraceGrowth& growth) {
  LiveChannels& channels = joiner_.channels();
  for (const auto& [machine, now] : growth.machines_again) machine_of(now, input.label);
  for (const auto& [process, now] : growth.processes_again) {
    belongs_to(input.processes.at(process.value), mapped(input.processes, now.group));
    rename(input.processes.at(process.value), now.name, now.program);
  }
  for (const auto& [process, name, program] : growth.renamed) rename(input.processes.at(process.value), name, program);
  for (const auto& [channel, now] : growth.channels_again)
    channels.learn(input.channels.at(channel.value), described(input, now));
  for (const auto& [channel, owner] : growth.owned)
    channels.owner_is(input.channels.at(channel.value), mapped(input.processes, owner));
  for (const auto& [channel, sending, end] : growth.ends)
    channels.end_is(input.channels.at(channel.value), sending, described(input, end));
  for (const auto& [set, more] : growth.more_of_sets) {
    TraceGrowth::MoreOfSet ours{input.channel_sets.at(set), {}};
    for (const ChannelId channel : more) ours.channels.push_back(mapped(input.channels, channel));
    if (ours.set != 0) growth_.more_of_sets.push_back(std::move(ours));
  }
  if (tables_ == Tables::kept) return;
  for (const ProcessId process : growth.ended) forget(input.processes.at(process.value));
  for (const ChannelId channel : growth.closed) {
    if (input.is_closed.at(channel.value)) continue;
    input.is_closed[channel.value] = true;
    joiner_.close(input.channels[channel.value], true);
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
  } else if (is_primitive(event.type)) {
    known = known && event.code < input.primitive_events.size();
    if (known) event.code = input.primitive_events[event.code];
  }
  return known;
}

void TraceUnion::remap(std::size_t number, std::span<const Event> batch, std::vector<Event>& out) {
  const Input& input = inputs_.at(number);
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
