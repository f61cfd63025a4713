#include "answers/results/queues_results.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "answers/results/ledger_results.hpp"
#include "answers/results/process_groups.hpp"
#include "text/number_text.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

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

// A dash where the part cannot be.
std::string part_text(std::uint64_t ns) { return ns == 0 ? "-" : seconds_text(static_cast<double>(ns) * 1e-9); }

// What waits were for; empty where the trace does not say it, or nothing waited.
std::string parts_table(const Queues& queues, const TraceInfo& info, int width, const RowLimit& limit) {
  TextTable table({"process", "what waited", ">for", ">a message", ">the CPU", ">a disk", ">its work", ">other"}, limit,
                  2);
  bool any = false;
  const auto add = [&](ProcessId process, const char* what, const WaitParts& parts) {
    if (parts.total_ns() == 0) return;
    any = true;
    table.add_row({info[process].name, what, part_text(parts.total_ns()), part_text(parts.message_ns),
                   part_text(parts.cpu_ns), part_text(parts.disk_ns), part_text(parts.ran_ns),
                   part_text(parts.other_ns)});
  };
  const auto add_own = [&](ProcessId process, const OwnWaits& own) {
    add(process, "to receive", own.receiving);
    add(process, "at work", own.working);
  };
  std::set<ProcessId> shown;
  for (const auto& q : shown_order(queues.processes, group_extents(info), limit)) {
    shown.insert(q.process);
    if (q.meanwhile) add(q.process, "messages to it", *q.meanwhile);
    if (const auto own = queues.own_waits.find(q.process); own != queues.own_waits.end())
      add_own(q.process, own->second);
  }
  for (const auto& [process, own] : queues.own_waits)
    if (!shown.contains(process)) add_own(process, own);
  return any ? "\n" + table.to_text(width) : "";
}

nlohmann::ordered_json parts_json(const WaitParts& parts) {
  const auto seconds = [](std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; };
  return {{"total_s", seconds(parts.total_ns())}, {"message_s", seconds(parts.message_ns)},
          {"cpu_s", seconds(parts.cpu_ns)},       {"disk_s", seconds(parts.disk_ns)},
          {"ran_s", seconds(parts.ran_ns)},       {"other_s", seconds(parts.other_ns)}};
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
  return table.empty() ? "the trace has no message that was received\n" : table.to_text(width);
}

std::string waits_text(const Queues& queues, const TraceInfo& info, int width, bool all) {
  return parts_table(queues, info, width, all ? RowLimit{} : RowLimit{kRowsShown});
}

nlohmann::ordered_json queues_json(const Queues& queues, const TraceInfo& info, const Ledger& ledger) {
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
      if (q.meanwhile) entry["messages_waited"] = parts_json(*q.meanwhile);
    }
    processes.push_back(std::move(entry));
  }
  Json own_waits = Json::array();
  for (const auto& [process, own] : queues.own_waits)
    own_waits.push_back({{"process", info[process].name},
                         {"waits_for_messages", own.messages},
                         {"to_receive", parts_json(own.receiving)},
                         {"at_work", parts_json(own.working)}});
  return {{"processes", std::move(processes)},
          {"own_waits", std::move(own_waits)},
          {"warnings", queues.warnings},
          {"ledger", ledger_json(ledger)}};
}

}  // namespace dpm::cli
