#include "analysis/messages/process_slots.hpp"

#include <fmt/format.h>

#include "model/process_names.hpp"

namespace dpm {

ProcessId ProcessSlots::new_row(ProcessInfo process) {
  const ProcessId row{static_cast<std::uint32_t>(rows_.processes.size())};
  rows_.processes.push_back(std::move(process));
  return row;
}

ProcessId ProcessSlots::shared_row(const ProcessInfo& described) {
  std::string program(without_number(described.name));
  if (const auto thread = program.find('/'); thread != std::string::npos && !described.group.is_none())
    program.resize(thread);
  if (!shared_rows_.contains(program) && shared_rows_.size() >= kSharedMost) program = "programs";
  const auto [known, is_new] = shared_rows_.try_emplace(program);
  if (is_new) {
    ProcessInfo row;
    row.name = "further " + program;
    row.program = described.program;
    row.machine = described.machine;
    row.in_computation = described.in_computation;
    known->second = new_row(std::move(row));
  }
  return known->second;
}

void ProcessSlots::add(ProcessId process, const ProcessInfo& described) {
  Slot slot;
  const ProcessId group = slot_of(described.group);
  const bool is_in_shared = !group.is_none() && shared_cpu_ns_.contains(group.value);
  if (own_ < kOwnMost && !is_in_shared) {
    ++own_;
    ProcessInfo row = described;
    row.group = group;
    slot.row = new_row(std::move(row));
  } else {
    slot.row = is_in_shared ? group : shared_row(described);
    slot.is_shared = true;
    shared_cpu_ns_.try_emplace(slot.row.value);
    ++shared_;
  }
  slots_[process.value] = slot;
}

void ProcessSlots::describe_again(ProcessId process, const ProcessInfo& described) {
  const auto found = slots_.find(process.value);
  if (found == slots_.end()) return add(process, described);
  if (found->second.is_shared) return;
  ProcessInfo row = described;
  row.group = slot_of(described.group);
  rows_.processes[found->second.row.value] = std::move(row);
}

void ProcessSlots::rename(ProcessId process, const std::string& name, const std::string& program) {
  const auto found = slots_.find(process.value);
  if (found == slots_.end() || found->second.is_shared) return;
  ProcessInfo& row = rows_.processes[found->second.row.value];
  row.name = name;
  row.program = program;
}

ProcessId ProcessSlots::slot_of(ProcessId process) const {
  const auto found = slots_.find(process.value);
  return found == slots_.end() ? ProcessId{} : found->second.row;
}

bool ProcessSlots::place(Event& event) {
  const auto found = slots_.find(event.process.value);
  if (found == slots_.end()) return false;
  Slot& slot = found->second;
  event.process = slot.row;
  event.peer = slot_of(event.peer);
  if (!slot.is_shared) return true;
  std::uint64_t& sum_ns = shared_cpu_ns_[slot.row.value];
  if (event.proc_time_ns > slot.cpu_ns) sum_ns += event.proc_time_ns - slot.cpu_ns, slot.cpu_ns = event.proc_time_ns;
  event.proc_time_ns = sum_ns;
  event.ready_time_ns = event.disk_time_ns = kNotMeasured;
  return true;
}

ProcessId ProcessSlots::outside(ChannelId channel, const std::string& channel_name, ChannelSide side,
                                ProcessId metered) {
  const OutsideEnd end = outside_end(channel, channel_name, side, metered, rows_);
  Group& group = groups_[end.group];
  const auto make = [&](bool grouped) {
    ProcessInfo row;
    row.name = outside_name(end, grouped);
    row.machine = end.machine;
    row.in_computation = false;
    return new_row(std::move(row));
  };
  if (const auto known = group.rows.find(end.name); known != group.rows.end()) return known->second;
  ++group.names;
  if (group.rows.size() < OutsideEnds::kEndsMax) return group.rows[end.name] = make(false);
  if (group.all.is_none()) group.all = make(true);
  return group.all;
}

std::map<ProcessId, ProcessId> ProcessSlots::joined() const {
  std::map<ProcessId, ProcessId> joined;
  for (const auto& [name, group] : groups_)
    if (!group.all.is_none())
      for (const auto& [end, row] : group.rows) joined[row] = group.all;
  return joined;
}

std::vector<std::string> ProcessSlots::notes() const {
  std::vector<std::string> notes;
  for (const auto& [name, group] : groups_)
    if (!group.all.is_none()) notes.push_back(fmt::format("the unmetered ends at {} are shown as one process", name));
  if (shared_ > 0)
    notes.push_back(fmt::format("{} processes and threads after the first {} are shown by program, as 'further ...'",
                                shared_, kOwnMost));
  return notes;
}

}  // namespace dpm
