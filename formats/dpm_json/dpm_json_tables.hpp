// The tables of a trace, from the names and numbers that events have.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/result.hpp"
#include "model/trace_info.hpp"

namespace dpm {

class DpmJsonTables {
 public:
  explicit DpmJsonTables(std::string machine) : unnamed_machine_(std::move(machine)) {}

  // `number` tells processes with the same name apart; without one they are one process.
  Result<ProcessId> process(std::string_view name, std::optional<std::uint64_t> number);
  // Of a process: the first one that an event of it names. An empty name: not said.
  Result<MachineId> machine(std::string_view name);
  ChannelId channel(std::uint64_t number);
  Result<std::uint32_t> primitive(PrimitiveEvent event);

  TraceInfo& info() { return info_; }
  // Processes that have no event, such as peers outside, get a machine and leave the computation.
  Result<void> complete();

 private:
  std::string unnamed_machine_;
  TraceInfo info_;
  std::map<std::pair<std::string, std::uint64_t>, ProcessId> processes_;
  std::map<std::string, MachineId> machines_;
  std::map<std::uint64_t, ChannelId> channels_;
  std::map<PrimitiveEvent, std::uint32_t> primitives_;
};

}  // namespace dpm
