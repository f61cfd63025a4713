// Names for ids, including ids that the trace does not describe.
#pragma once

#include <string>

#include "model/trace_info.hpp"

namespace dpm::view {

inline std::string process_name(const TraceInfo& info, ProcessId id) {
  if (id.is_none()) return "unknown";
  if (id.value < info.processes.size() && !info[id].name.empty()) return info[id].name;
  return std::string("process ").append(std::to_string(id.value));
}

inline std::string machine_name(const TraceInfo& info, MachineId id) {
  if (id.is_none()) return "unknown";
  if (id.value < info.machines.size() && !info[id].name.empty()) return info[id].name;
  return std::string("machine ").append(std::to_string(id.value));
}

}  // namespace dpm::view
