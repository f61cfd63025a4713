#include "cli/run/native_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/run/ending_text.hpp"
#include "cli/run/printed_lines.hpp"
#include "model/counted.hpp"
#include "text/number_text.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

double seconds_of(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

Json process_json(const NativeProcess& p) {
  Json kinds = Json::array();
  for (const auto& kind : p.kinds)
    kinds.push_back({{"code", kind.code}, {"sent", kind.sent}, {"received", kind.received}});
  return {{"process", p.name},
          {"machine", p.machine},
          {"core", p.core ? Json(*p.core) : Json(nullptr)},
          {"in_computation", p.in_computation},
          {"cpu_s", seconds_of(p.cpu_ns)},
          {"sent", p.messages_sent},
          {"sent_bytes", p.bytes_sent},
          {"received", p.messages_received},
          {"data_received", p.data_received},
          {"dropped", p.messages_dropped},
          {"kinds", std::move(kinds)},
          {"at_the_end", p.final_state}};
}

}  // namespace

std::string native_text(const NativeOutcome& outcome, int width, bool all) {
  const bool is_pinned =
      std::any_of(outcome.processes.begin(), outcome.processes.end(), [](const auto& p) { return p.core.has_value(); });
  std::vector<std::string> headings = {"process", "machine", ">CPU", ">sent", ">bytes", ">received", "at the end"};
  if (is_pinned) headings.insert(headings.begin() + 2, ">core");
  const RowLimit limit = all ? RowLimit{} : RowLimit{kRowsShown};
  TextTable table(headings, limit);
  std::vector<NativeProcess> processes = outcome.processes;
  if (limit.exceeded_by(processes.size()))
    std::stable_sort(processes.begin(), processes.end(),
                     [](const auto& a, const auto& b) { return a.cpu_ns > b.cpu_ns; });
  for (const auto& p : processes) {
    std::vector<std::string> row = {p.name,
                                    p.machine,
                                    seconds_text(seconds_of(p.cpu_ns)),
                                    std::to_string(p.messages_sent),
                                    std::to_string(p.bytes_sent),
                                    std::to_string(p.messages_received),
                                    p.final_state};
    if (is_pinned) row.insert(row.begin() + 2, p.core ? std::to_string(*p.core) : "");
    table.add_row(std::move(row));
  }
  return fmt::format("{}\nelapsed {}, CPU time of the computation {}, P {}, {}\n", table.to_text(width),
                     seconds_text(outcome.elapsed.seconds()), seconds_text(seconds_of(outcome.total_cpu_ns())),
                     fixed(outcome.parallelism(), 3), counted(outcome.messages(), "message"));
}

Json native_json(const NativeOutcome& outcome, const Scenario& scenario) {
  Json document = {{"scenario", scenario.name},
                   {"placement", scenario.placement},
                   {"seed", scenario.seed},
                   {"live",
                    {{"P", outcome.parallelism()},
                     {"T_s", seconds_of(outcome.total_cpu_ns())},
                     {"elapsed_s", outcome.elapsed.seconds()},
                     {"messages", outcome.messages()},
                     {"ended_by", outcome.ended_by}}}};
  document["processes"] = Json::array();
  for (const auto& process : outcome.processes) document["processes"].push_back(process_json(process));
  document["messages"] = Json::array();
  for (const auto& traffic : outcome.traffic)
    document["messages"].push_back(
        {{"from", traffic.from}, {"to", traffic.to}, {"count", traffic.messages}, {"bytes", traffic.bytes}});
  if (!outcome.printed.empty()) document["printed"] = printed_json(outcome.printed);
  return document;
}

std::string how_it_ended(const NativeOutcome& outcome, bool all) {
  return ending_text(outcome.failure, outcome.ended_by, outcome.at_limit, outcome.blocked, all);
}

}  // namespace dpm::cli
