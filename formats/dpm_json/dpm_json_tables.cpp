#include "formats/dpm_json/dpm_json_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dpm {
namespace {

constexpr std::size_t kMachinesMax = 60'000;       // they have 16 bits
constexpr std::size_t kProcessesMax = 16'000'000;  // the graph has 24 bits for them
constexpr std::uint64_t kNoNumber = UINT64_MAX;

}  // namespace

Result<ProcessId> DpmJsonTables::process(std::string_view name, std::optional<std::uint64_t> number) {
  const ProcessId next{static_cast<std::uint32_t>(info_.processes.size())};
  const auto [found, is_new] = processes_.try_emplace({std::string(name), number.value_or(kNoNumber)}, next);
  if (!is_new) return found->second;
  if (info_.processes.size() >= kProcessesMax)
    return Error{fmt::format("it has more than {} processes", kProcessesMax)};
  ProcessInfo process;
  process.name = name;
  process.program = name;
  info_.processes.push_back(std::move(process));
  return found->second;
}

Result<MachineId> DpmJsonTables::machine(std::string_view name) {
  const std::string named(name.empty() ? std::string_view(unnamed_machine_) : name);
  const auto [found, is_new] =
      machines_.try_emplace(named, MachineId{static_cast<std::uint16_t>(info_.machines.size())});
  if (!is_new) return found->second;
  if (info_.machines.size() >= kMachinesMax) return Error{fmt::format("it has more than {} machines", kMachinesMax)};
  info_.machines.push_back({named});
  return found->second;
}

ChannelId DpmJsonTables::channel(std::uint64_t number) {
  const auto [found, is_new] =
      channels_.try_emplace(number, ChannelId{static_cast<std::uint32_t>(info_.channels.size())});
  if (is_new) info_.channels.push_back({ProcessId(), fmt::format("channel {}", number)});
  return found->second;
}

Result<std::uint32_t> DpmJsonTables::primitive(PrimitiveEvent event) {
  const auto [found, is_new] =
      primitives_.try_emplace(event, static_cast<std::uint32_t>(info_.primitive_events.size()));
  if (is_new) info_.primitive_events.push_back(std::move(event));
  return found->second;
}

Result<void> DpmJsonTables::complete() {
  for (ProcessInfo& process : info_.processes) {
    if (!process.machine.is_none()) continue;
    const auto elsewhere = machine("elsewhere");
    if (!elsewhere) return elsewhere.error();
    process.machine = *elsewhere;
    process.in_computation = false;
  }
  return {};
}

}  // namespace dpm
