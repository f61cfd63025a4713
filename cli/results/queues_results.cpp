#include "cli/results/queues_results.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "cli/number_text.hpp"
#include "cli/results/ledger_results.hpp"
#include "cli/results/process_groups.hpp"
#include "cli/text_table.hpp"

namespace dpm::cli {
namespace {

// As in the tables of statistics, with the longest queues first.
std::vector<QueueStatistics> shown_order(std::vector<QueueStatistics> queues, const std::vector<GroupExtent>& extents,
                                         const RowLimit& limit) {
  if (!is_grouped(extents) && !limit.exceeded_by(queues.size())) return queues;
  std::stable_sort(queues.begin(), queues.end(), [&](const auto& a, const auto& b) {
    return std::tuple(extents[a.process.value].processes, a.length_mean) >
           std::tuple(extents[b.process.value].processes, b.length_mean);
  });
  return queues;
}

}  // namespace

std::string queues_text(const Queues& queues, const TraceInfo& info, int width, bool all) {
  const RowLimit limit = all ? RowLimit{} : RowLimit{kRowsShown};
  TextTable table({"process", ">messages", ">queue mean", ">max", ">wait mean", ">median", ">95 %", ">max"}, limit);
  const auto wait = [](double ns) { return seconds_text(ns * 1e-9); };
  for (const auto& q : shown_order(queues.processes, group_extents(info), limit)) {
    const std::string name = info[q.process].name;
    if (!q.measured) {
      table.add_row({name, std::to_string(q.received), "not metered", "", "", "", "", ""});
      continue;
    }
    table.add_row({name, std::to_string(q.queued), fixed(q.length_mean, 2), std::to_string(q.length_max),
                   wait(q.waits.mean_ns()), wait(q.waits.quantile_ns(.5)), wait(q.waits.quantile_ns(.95)),
                   wait(static_cast<double>(q.waits.max_ns()))});
  }
  return table.to_text(width);
}

nlohmann::ordered_json queues_json(const Queues& queues, const TraceInfo& info, const Ledger& ledger) {
  using Json = nlohmann::ordered_json;
  Json processes = Json::array();
  for (const auto& q : queues.processes) {
    Json entry = {{"process", info[q.process].name}, {"measured", q.measured}, {"received", q.received}};
    if (q.measured) {
      Json waits = Json::array();
      for (const auto& bucket : q.waits.by_power())
        waits.push_back({{"from_s", static_cast<double>(bucket.from_ns) * 1e-9},
                         {"to_s", static_cast<double>(bucket.to_ns) * 1e-9},
                         {"count", bucket.count}});
      entry.update({{"queued", q.queued},
                    {"queue_max", q.length_max},
                    {"queue_mean", q.length_mean},
                    {"queue_mean_by_operation", q.length_mean_by_operation},
                    {"queue_distribution", q.time_share},
                    {"wait_min_s", static_cast<double>(q.waits.min_ns()) * 1e-9},
                    {"wait_mean_s", q.waits.mean_ns() * 1e-9},
                    {"wait_median_s", q.waits.quantile_ns(.5) * 1e-9},
                    {"wait_p95_s", q.waits.quantile_ns(.95) * 1e-9},
                    {"wait_max_s", static_cast<double>(q.waits.max_ns()) * 1e-9},
                    {"wait_distribution", std::move(waits)},
                    {"still_queued", q.still_queued},
                    {"waits_across_machines", q.waits_across_machines}});
    }
    processes.push_back(std::move(entry));
  }
  return {{"processes", std::move(processes)}, {"warnings", queues.warnings}, {"ledger", ledger_json(ledger)}};
}

}  // namespace dpm::cli
