#include "answers/results/statistics_results.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "answers/results/cgroup_column.hpp"
#include "answers/results/ledger_results.hpp"
#include "answers/results/process_groups.hpp"
#include "model/wait_kind_name.hpp"
#include "text/number_text.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

constexpr int kWidthOfDetails = 100;  // columns

// Not every meter knows the peer of a message.
std::string name_or_unknown(ProcessId process, const TraceInfo& info) {
  return process.value < info.processes.size() ? info[process].name : "(unknown)";
}

// In the order of the trace if all are shown; otherwise groups of many processes come first, and then those with most
// CPU time.
std::vector<ProcessStatistics> shown_order(std::vector<ProcessStatistics> processes,
                                           const std::vector<GroupExtent>& extents, const RowLimit& limit) {
  if (!is_grouped(extents) && !limit.exceeded_by(processes.size())) return processes;
  std::stable_sort(processes.begin(), processes.end(), [&](const auto& a, const auto& b) {
    return std::tuple(extents[a.process.value].processes, a.cpu_ns) >
           std::tuple(extents[b.process.value].processes, b.cpu_ns);
  });
  return processes;
}

std::string process_table(const Statistics& statistics, const TraceInfo& info, int width, const RowLimit& limit) {
  const std::vector<GroupExtent> extents = group_extents(info);
  std::vector<ProcessId> shown;
  for (const auto& p : statistics.processes) shown.push_back(p.process);
  const CgroupColumn cgroups(shown, info);
  std::vector<std::string> headings = {"process", "machine", ">CPU",     ">% CPU", ">sent",
                                       ">% sent", ">bytes",  ">% bytes", ">local", ">remote"};
  // Rows of groups have long names, for which a narrow terminal has room without two columns.
  const auto without_details = [&](std::vector<std::string>& columns) {
    if (is_grouped(extents) && width < kWidthOfDetails) columns.erase(columns.begin() + 7, columns.begin() + 9);
  };
  without_details(headings);
  if (cgroups.is_shown()) headings.insert(headings.begin() + 2, "cgroup");
  TextTable table(headings, limit);
  const auto share = [](const ProcessStatistics& process, double value) {
    return process.in_computation ? fixed(value * 100, 1) : "-";
  };
  for (const auto& p : shown_order(statistics.processes, extents, limit)) {
    const GroupExtent& extent = extents[p.process.value];
    std::vector<std::string> cells = {info[p.process].name,
                                      extent.processes > 1 ? extent.place : info[p.last_machine].name,
                                      seconds_text(static_cast<double>(p.cpu_ns) * 1e-9),
                                      share(p, p.cpu_share),
                                      std::to_string(p.sent),
                                      share(p, p.sent_share),
                                      std::to_string(p.sent_bytes),
                                      share(p, p.bytes_share),
                                      std::to_string(p.sent_local),
                                      std::to_string(p.sent_remote)};
    without_details(cells);
    if (cgroups.is_shown()) cells.insert(cells.begin() + 2, cgroups.cell(p.process));
    table.add_row(std::move(cells));
  }
  return table.empty() ? "no process has an event\n" : table.to_text(width);
}

double mean_bytes(const Traffic& traffic) {
  return traffic.messages() == 0 ? 0 : static_cast<double>(traffic.bytes()) / static_cast<double>(traffic.messages());
}

double share_of(std::uint64_t messages, const MessageSizes& sizes) {
  return static_cast<double>(messages) / static_cast<double>(sizes.messages);
}

std::string message_table(const Statistics& statistics, const TraceInfo& info, int width, const RowLimit& limit) {
  TextTable table({"from", "to", ">messages", ">of them data", ">bytes", ">mean size", ">remote"}, limit, 2);
  std::vector<Traffic> messages = statistics.messages;
  if (limit.exceeded_by(messages.size()))
    std::stable_sort(messages.begin(), messages.end(),
                     [](const auto& a, const auto& b) { return a.messages() > b.messages(); });
  for (const auto& t : messages) {
    table.add_row({name_or_unknown(t.from, info), name_or_unknown(t.to, info), std::to_string(t.messages()),
                   std::to_string(t.kernel_sent), std::to_string(t.bytes()), fixed(mean_bytes(t), 1),
                   std::to_string(t.remote)});
  }
  return table.empty() ? "the trace has no message that was sent\n" : table.to_text(width);
}

// Empty if processes waited only for messages.
std::string wait_table(const Statistics& statistics, const TraceInfo& info, int width, const RowLimit& limit) {
  constexpr std::array kFor = {"the end of a process", "the end of a thread", "a signal", "a futex"};
  static_assert(kFor.size() == kWaitKinds);
  TextTable table({"process", "waits for", ">times", ">waited"}, limit);
  bool any = false;
  for (const auto& p : shown_order(statistics.processes, group_extents(info), limit)) {
    const auto add = [&](const char* what, std::optional<std::uint64_t> waited_ns) {
      if (waited_ns.value_or(0) == 0) return;
      any = true;
      table.add_row({info[p.process].name, what, "", seconds_text(static_cast<double>(*waited_ns) * 1e-9)});
    };
    add("the CPU", p.ready_ns);
    add("a disk", p.disk_ns);
    for (std::size_t kind = 0; kind < kFor.size(); ++kind) {
      const Waits& waits = p.waits[kind];
      if (waits.count == 0) continue;
      any = true;
      table.add_row({info[p.process].name, kFor[kind], std::to_string(waits.count),
                     seconds_text(static_cast<double>(waits.waited_ns) * 1e-9)});
    }
  }
  return any ? "\n" + table.to_text(width) : "";
}

nlohmann::ordered_json waits_json(const ProcessStatistics& process) {
  nlohmann::ordered_json waits = nlohmann::ordered_json::object();
  for (std::size_t kind = 0; kind < process.waits.size(); ++kind)
    if (process.waits[kind].count > 0)
      waits[std::string(name_of(static_cast<WaitKind>(kind)))] = {
          {"count", process.waits[kind].count},
          {"waited_s", static_cast<double>(process.waits[kind].waited_ns) * 1e-9}};
  return waits;
}

std::string size_table(const MessageSizes& sizes, int width) {
  TextTable table({"message size", ">messages", ">share"});
  for (std::size_t k = 0; k < sizes.by_power.size(); ++k) {
    if (sizes.by_power[k] == 0) continue;
    const std::uint64_t low = k == 0 ? 0 : std::uint64_t{1} << (k - 1);
    const std::uint64_t high = k == 0 ? 0 : (std::uint64_t{1} << k) - 1;
    const std::string range = low == high ? std::to_string(low) : std::to_string(low) + " to " + std::to_string(high);
    table.add_row(
        {range + " bytes", std::to_string(sizes.by_power[k]), percent(share_of(sizes.by_power[k], sizes), 1)});
  }
  return table.to_text(width);
}

std::string machine_table(const Statistics& statistics, const TraceInfo& info, int width, const RowLimit& limit) {
  TextTable table({"machine", ">messages sent", ">bytes", ">messages a second"}, limit);
  std::vector<MachineStatistics> machines = statistics.machines;
  if (limit.exceeded_by(machines.size()))
    std::stable_sort(machines.begin(), machines.end(), [](const auto& a, const auto& b) { return a.sent > b.sent; });
  for (const auto& m : machines)
    table.add_row({info[m.machine].name, std::to_string(m.sent), std::to_string(m.sent_bytes),
                   fixed(m.messages_per_second(), 1)});
  return table.to_text(width);
}

// Numbers of bytes in the unit that fits: "1.6 GiB".
std::string bytes_text(double bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return (unit == 0 ? fixed(bytes, 0) : fixed(bytes, 1)) + " " + kUnits[unit];
}

// Empty without SUMMARYs.
std::string summary_table(const Statistics& statistics, const TraceInfo& info, int width, const RowLimit& limit) {
  constexpr double kNsPerSecond = 1e9;
  TextTable table({"machine", "summary", ">mean", ">least", ">most", ">in all"}, limit, 2);
  for (const MachineSums& machine : statistics.summaries) {
    const auto add = [&](const std::string& what, MachineQuantity quantity, const auto& text, const auto& rate) {
      const QuantitySums& sums = machine[quantity];
      const bool is_counted = kMachineQuantities[static_cast<std::size_t>(quantity)].is_counted;
      if (sums.count == 0) return;
      table.add_row({info[machine.machine].name, what, rate(sums.mean(is_counted)), rate(sums.least), rate(sums.most),
                     is_counted ? text(sums.total) : "-"});
    };
    const auto load = [](double value) { return fixed(value / kLoadUnit, 2); };
    const auto number = [](double value) { return significant(value); };
    const auto bytes = [](double value) { return bytes_text(value); };
    const auto bytes_rate = [](double value) { return bytes_text(value) + "/s"; };
    const auto rate = [](double value) { return significant(value) + "/s"; };
    const auto seconds = [](double value) { return seconds_text(value / kNsPerSecond); };
    const auto busy = [](double value) { return percent(value / kNsPerSecond, 1); };
    add("load", MachineQuantity::load, load, load);
    add("runnable tasks", MachineQuantity::runnable_tasks, number, number);
    add("memory", MachineQuantity::memory_bytes, bytes, bytes);
    add("memory available", MachineQuantity::available_bytes, bytes, bytes);
    add("swap used", MachineQuantity::swap_used_bytes, bytes, bytes);
    add("page faults from disk", MachineQuantity::major_faults, number, rate);
    add("swapped in", MachineQuantity::swapped_in_bytes, bytes, bytes_rate);
    add("swapped out", MachineQuantity::swapped_out_bytes, bytes, bytes_rate);
    add("disk reads", MachineQuantity::disk_read_bytes, bytes, bytes_rate);
    add("disk writes", MachineQuantity::disk_written_bytes, bytes, bytes_rate);
    add("disks busy", MachineQuantity::disk_busy_ns, seconds, busy);
  }
  return table.empty() ? "" : "\n" + table.to_text(width);
}

nlohmann::ordered_json summaries_json(const Statistics& statistics, const TraceInfo& info) {
  nlohmann::ordered_json machines = nlohmann::ordered_json::array();
  for (const MachineSums& machine : statistics.summaries) {
    nlohmann::ordered_json quantities = nlohmann::ordered_json::array();
    std::uint64_t covered_ms = 0;
    for (const MachineQuantityKind& kind : kMachineQuantities) {
      const QuantitySums& sums = machine[kind.quantity];
      if (sums.count == 0) continue;
      covered_ms = std::max(covered_ms, sums.covered_ms);
      quantities.push_back({{"quantity", kind.name},
                            {"count", sums.count},
                            {"mean", sums.mean(kind.is_counted)},
                            {"least", sums.least},
                            {"most", sums.most},
                            {"last", sums.last},
                            {"total", kind.is_counted ? nlohmann::ordered_json(sums.total) : nullptr}});
    }
    machines.push_back({{"machine", info[machine.machine].name},
                        {"covered_s", static_cast<double>(covered_ms) * 1e-3},
                        {"quantities", std::move(quantities)}});
  }
  return machines;
}

}  // namespace

std::string statistics_text(const Statistics& statistics, const TraceInfo& info, int width, bool all) {
  const RowLimit rows = all ? RowLimit{} : RowLimit{kRowsShown};
  std::string text = process_table(statistics, info, width, rows);
  text += "\n" + message_table(statistics, info, width, rows);
  if (statistics.sizes.messages > 0) text += "\n" + size_table(statistics.sizes, width);
  text += wait_table(statistics, info, width, rows);
  if (!statistics.machines.empty())
    text += "\n" + machine_table(statistics, info, width, all ? RowLimit{} : RowLimit{kMachinesShown});
  text +=
      summary_table(statistics, info, width, all ? RowLimit{} : RowLimit{kMachinesShown * kMachineQuantities.size()});
  return text;
}

nlohmann::ordered_json statistics_json(const Statistics& statistics, const TraceInfo& info, const Ledger& ledger) {
  using Json = nlohmann::ordered_json;
  Json processes = Json::array();
  for (const auto& p : statistics.processes) {
    Json events = Json::object();
    for (const auto type : kEventTypes) {
      const auto count = p.events_by_type[static_cast<std::size_t>(type)];
      if (count > 0) events[std::string(name_of(type))] = count;
    }
    processes.push_back({{"process", info[p.process].name},
                         {"program", info[p.process].program},
                         {"machine", info[p.last_machine].name},
                         {"in_computation", p.in_computation},
                         {"cpu_s", static_cast<double>(p.cpu_ns) * 1e-9},
                         {"cpu_percent", p.cpu_share * 100},
                         {"sent", p.sent},
                         {"sent_percent", p.sent_share * 100},
                         {"sent_bytes", p.sent_bytes},
                         {"sent_bytes_percent", p.bytes_share * 100},
                         {"received", p.received},
                         {"received_bytes", p.received_bytes},
                         {"sent_local", p.sent_local},
                         {"sent_remote", p.sent_remote},
                         {"events", std::move(events)}});
    if (info[p.process].pid != 0) processes.back()["cgroup"] = cgroup_of(p.process, info);
    if (p.ready_ns) processes.back()["ready_s"] = static_cast<double>(*p.ready_ns) * 1e-9;
    if (p.disk_ns) processes.back()["disk_s"] = static_cast<double>(*p.disk_ns) * 1e-9;
    if (auto waits = waits_json(p); !waits.empty()) processes.back()["waits"] = std::move(waits);
  }
  Json messages = Json::array();
  for (const auto& t : statistics.messages)
    messages.push_back({{"from", name_or_unknown(t.from, info)},
                        {"to", name_or_unknown(t.to, info)},
                        {"count", t.messages()},
                        {"bytes", t.bytes()},
                        {"mean_bytes", mean_bytes(t)},
                        {"data_count", t.kernel_sent},
                        {"remote", t.remote},
                        {"counted_by", t.by_receive() ? "RECEIVE" : "SEND"}});
  Json sizes = Json::array();
  for (std::size_t k = 0; k < statistics.sizes.by_power.size(); ++k)
    if (statistics.sizes.by_power[k] > 0)
      sizes.push_back({{"bytes_at_least", k == 0 ? 0 : std::uint64_t{1} << (k - 1)},
                       {"count", statistics.sizes.by_power[k]},
                       {"share", share_of(statistics.sizes.by_power[k], statistics.sizes)}});
  Json machines = Json::array();
  for (const auto& m : statistics.machines) {
    Json density = Json::array();
    for (std::size_t bucket = 0; bucket < m.density.counts().size(); ++bucket)
      density.push_back(m.density.counts()[bucket]);
    machines.push_back(
        {{"machine", info[m.machine].name},
         {"sent", m.sent},
         {"sent_bytes", m.sent_bytes},
         {"messages_per_second", m.messages_per_second()},
         {"density",
          {{"from_ns", m.density.begin().ns}, {"width_ns", m.density.width().ns}, {"messages", std::move(density)}}}});
  }
  Json document = {
      {"processes", std::move(processes)}, {"messages", std::move(messages)}, {"sizes", std::move(sizes)},
      {"machines", std::move(machines)},   {"local", statistics.sent_local},  {"remote", statistics.sent_remote},
      {"events", statistics.events},       {"warnings", statistics.warnings}, {"ledger", ledger_json(ledger)}};
  if (!statistics.summaries.empty()) document["summaries"] = summaries_json(statistics, info);
  return document;
}

}  // namespace dpm::cli
