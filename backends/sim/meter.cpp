#include "backends/sim/meter.hpp"

#include <algorithm>

namespace dpm::sim {

void Meter::record(Process& process, Event event) {
  Machine& machine = *process.machine;
  event.process = names_.id_of(process);
  event.machine = machine.id;
  event.local_time = machine.local_time(engine_.now());
  event.proc_time_ns = static_cast<std::uint64_t>(process.cpu_ns_now());
  event.load = machine.load();
  process.ready_told_ns = std::max(process.ready_told_ns, process.ready_ns_at(engine_.now()));
  event.ready_time_ns = static_cast<std::uint64_t>(process.ready_told_ns);
  event.disk_time_ns = 0;  // disks are processes, or a wait for time
  ++seen_;

  std::vector<Event>& buffer = machine.meter_paths[process.filter].buffer;
  buffer.push_back(event);
  process.owed += description_.cpu_per_event;
  if (buffer.size() >= description_.buffered_events || process.flags.immediate()) {
    process.owed += description_.cpu_per_meter_message;
    send(machine, process.filter);
  }
}

void Meter::flush(Machine& machine) {
  for (std::size_t filter = 0; filter < machine.meter_paths.size(); ++filter)
    send(machine, static_cast<std::uint16_t>(filter));
}

void Meter::send(Machine& machine, std::uint16_t filter) {
  std::vector<Event>& buffer = machine.meter_paths[filter].buffer;
  if (!buffer.empty()) send_(machine, filter, buffer);
}

void Meter::lose_buffers(Machine& machine, const std::string& reason) {
  for (MeterPath& path : machine.meter_paths) {
    if (!path.buffer.empty()) lose(reason, path.buffer.size());
    path.buffer.clear();
  }
}

std::uint64_t Meter::pc_of(const void* return_address) {
  return call_sites_.try_emplace(return_address, call_sites_.size() + 1).first->second;
}

std::vector<Loss> Meter::losses() const {
  std::vector<Loss> losses;
  for (const auto& [reason, events] : lost_) losses.push_back({reason, events});
  return losses;
}

}  // namespace dpm::sim
