#include "cli/run/run_totals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "model/check.hpp"
#include "model/counted.hpp"
#include "text/first_names.hpp"
#include "text/number_text.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

double total_seconds(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

Json span_json(const RunSpan& span) { return {{"P", span.P()}, {"T_s", span.T_s}, {"elapsed_s", span.elapsed_s}}; }

}  // namespace

RunTotals run_totals(const SimTruth& truth, const Scenario& scenario) {
  RunTotals totals;
  totals.processes = truth.processes.size();
  totals.run.elapsed_s = total_seconds(static_cast<std::uint64_t>(truth.makespan_all.ns));
  totals.computation.elapsed_s = total_seconds(static_cast<std::uint64_t>(truth.makespan.ns));
  totals.computation.T_s = total_seconds(truth.total_cpu_ns);
  std::map<std::string, std::size_t> processes_on;
  std::uint64_t cpu_ns = 0;
  for (const auto& process : truth.processes) {
    ++processes_on[process.machine];
    cpu_ns += process.cpu_time_ns;
    if (!process.in_computation) totals.left_out.push_back(process.name);
  }
  totals.run.T_s = total_seconds(cpu_ns);
  if (truth.machines.empty()) return totals;  // the simulation failed before it began
  DPM_CHECK(truth.machines.size() == scenario.machines.size());
  for (std::size_t m = 0; m < truth.machines.size(); ++m) {
    const auto& [name, used_ns] = truth.machines[m];
    const std::uint16_t cores = scenario.machines[m].cores;
    const double room_s = totals.run.elapsed_s * cores;
    totals.machines.push_back(
        {name, cores, processes_on[name], total_seconds(used_ns), room_s > 0 ? total_seconds(used_ns) / room_s : 0});
  }
  return totals;
}

std::string run_totals_text(const RunTotals& totals, int width, bool all) {
  TextTable spans({"the run", ">elapsed", ">T", ">P"});
  const auto add = [&](const std::string& what, const RunSpan& span) {
    spans.add_row({what, seconds_text(span.elapsed_s), seconds_text(span.T_s), fixed(span.P(), 3)});
  };
  add(fmt::format("all of it, {}", counted(totals.processes, "process")), totals.run);
  const bool has_computation = totals.left_out.size() < totals.processes;
  if (!totals.left_out.empty() && has_computation)
    add(fmt::format("the computation, {}", counted(totals.processes - totals.left_out.size(), "process")),
        totals.computation);
  std::string text = spans.to_text(width);
  if (!totals.left_out.empty() && has_computation)
    text += printable(fmt::format("the computation leaves out {}", first_names(totals.left_out))) + "\n";

  const RowLimit limit = all ? RowLimit{} : RowLimit{kMachinesShown};
  TextTable machines({"machine", ">cores", ">processes", ">CPU", ">utilisation"}, limit);
  std::vector<MachineUse> uses = totals.machines;
  if (limit.exceeded_by(uses.size()))
    std::stable_sort(uses.begin(), uses.end(),
                     [](const auto& a, const auto& b) { return a.utilisation > b.utilisation; });
  for (const auto& use : uses)
    machines.add_row({use.machine, std::to_string(use.cores), std::to_string(use.processes), seconds_text(use.cpu_s),
                      percent(use.utilisation, 1)});
  return text + "\n" + machines.to_text(width);
}

Json run_totals_json(const RunTotals& totals) {
  Json document = span_json(totals.run);
  document["processes"] = totals.processes;
  document["computation"] = span_json(totals.computation);
  document["computation"]["processes"] = totals.processes - totals.left_out.size();
  document["computation"]["leaves_out"] = totals.left_out;
  document["machines"] = Json::array();
  for (const auto& use : totals.machines)
    document["machines"].push_back({{"machine", use.machine},
                                    {"cores", use.cores},
                                    {"processes", use.processes},
                                    {"cpu_s", use.cpu_s},
                                    {"utilisation", use.utilisation}});
  return document;
}

}  // namespace dpm::cli
