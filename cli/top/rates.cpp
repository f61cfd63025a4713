#include "cli/top/rates.hpp"

#include <algorithm>
#include <map>

#include "analysis/statistics/threads.hpp"

namespace dpm::cli {
namespace {

double per_second(std::uint64_t before, std::uint64_t after, double period_s) {
  return after <= before || period_s <= 0 ? 0 : static_cast<double>(after - before) / period_s;
}

Rates rates_of(const ProcessStatistics& before, const ProcessStatistics& after, double period_s) {
  return {.cpu = per_second(before.cpu_ns, after.cpu_ns, period_s) * 1e-9,
          .sent = per_second(before.sent, after.sent, period_s),
          .sent_bytes = per_second(before.sent_bytes, after.sent_bytes, period_s),
          .received = per_second(before.received, after.received, period_s),
          .received_bytes = per_second(before.received_bytes, after.received_bytes, period_s)};
}

// The row that a process or thread belongs to.
ProcessId row_of(std::uint32_t process, const TraceInfo& info, bool threads) {
  if (threads || process >= info.processes.size()) return {process};
  const ProcessId group = info.processes[process].group;
  return group.value < info.processes.size() ? group : ProcessId{process};
}

// A row waits if all of its threads wait that have not ended.
std::map<ProcessId, Doing> doing_by_row(const TraceTotals& totals, const TraceInfo& info, bool threads) {
  std::map<ProcessId, Doing> rows;
  for (std::uint32_t p = 0; p < totals.doing.size(); ++p) {
    const auto [row, is_first] = rows.try_emplace(row_of(p, info, threads), totals.doing[p]);
    if (is_first || totals.doing[p] == Doing::ended) continue;
    row->second = row->second == Doing::ended || row->second == totals.doing[p] ? totals.doing[p] : Doing::not_known;
  }
  return rows;
}

// None if its threads wait for several processes.
std::map<ProcessId, ProcessId> awaited_by_row(const TraceTotals& totals, const TraceInfo& info, bool threads) {
  std::map<ProcessId, ProcessId> rows;
  for (std::uint32_t p = 0; p < totals.awaited.size(); ++p) {
    if (totals.doing[p] != Doing::waits_for_message) continue;
    const ProcessId sender = totals.awaited[p].is_none() ? ProcessId{} : row_of(totals.awaited[p].value, info, threads);
    const auto [row, is_first] = rows.try_emplace(row_of(p, info, threads), sender);
    if (!is_first && row->second != sender) row->second = ProcessId{};
  }
  std::erase_if(rows, [](const auto& row) { return row.second.is_none(); });
  return rows;
}

std::map<ProcessId, std::uint64_t> queued_by_row(const TraceTotals& totals, const TraceInfo& info, bool threads) {
  std::map<ProcessId, std::uint64_t> rows;
  for (std::uint32_t p = 0; p < totals.queued.size(); ++p)
    if (totals.queued[p]) rows[row_of(p, info, threads)] += *totals.queued[p];
  return rows;
}

std::vector<PairRates> pair_rates(const Statistics& before, const Statistics& after, double period_s) {
  std::map<std::pair<ProcessId, ProcessId>, const Traffic*> earlier;
  for (const Traffic& traffic : before.messages) earlier[{traffic.from, traffic.to}] = &traffic;
  std::vector<PairRates> pairs;
  const Traffic none{};
  for (const Traffic& traffic : after.messages) {
    if (traffic.from.is_none() || traffic.to.is_none()) continue;
    const auto found = earlier.find({traffic.from, traffic.to});
    const Traffic& was = found == earlier.end() ? none : *found->second;
    pairs.push_back({traffic.from, traffic.to, per_second(was.messages(), traffic.messages(), period_s),
                     per_second(was.bytes(), traffic.bytes(), period_s)});
  }
  return pairs;
}

std::string name_of(ProcessId process, const TraceInfo& info) {
  return process.value < info.processes.size() ? info[process].name : "process " + std::to_string(process.value);
}

std::string machine_of(MachineId machine, const TraceInfo& info) {
  return machine.value < info.machines.size() ? info[machine].name : "";
}

void add(Rates& sum, const Rates& rates) {
  sum.cpu += rates.cpu;
  sum.sent += rates.sent;
  sum.sent_bytes += rates.sent_bytes;
  sum.received += rates.received;
  sum.received_bytes += rates.received_bytes;
}

}  // namespace

double period_between_s(const TraceTotals& before, const TraceTotals& after, double passed_s, const TraceInfo& info) {
  return info.properties.scripted ? after.elapsed_s - before.elapsed_s : passed_s;
}

TopNumbers rates_between(const TraceTotals& before, const TraceTotals& after, double period_s, const TraceInfo& info,
                         bool threads) {
  Statistics was = before.statistics, is = after.statistics;
  if (!threads) {
    was = sum_threads(std::move(was), info);
    is = sum_threads(std::move(is), info);
  }
  std::map<ProcessId, const ProcessStatistics*> earlier;
  for (const ProcessStatistics& process : was.processes) earlier[process.process] = &process;
  const auto doing = doing_by_row(after, info, threads);
  const auto queued = queued_by_row(after, info, threads);
  const auto awaited = awaited_by_row(after, info, threads);
  const ProcessStatistics none{};

  TopNumbers numbers;
  numbers.period_s = period_s;
  numbers.elapsed_s = after.elapsed_s;
  numbers.is_over = after.is_over;
  numbers.ledger = after.ledger;
  numbers.events = after.statistics.events;
  std::uint64_t cpu_ns = 0;  // of the computation, so far
  for (const ProcessStatistics& process : is.processes) {
    const auto found = earlier.find(process.process);
    ProcessRates row{.process = process.process,
                     .name = name_of(process.process, info),
                     .machine = machine_of(process.last_machine, info),
                     .rates = rates_of(found == earlier.end() ? none : *found->second, process, period_s),
                     .cpu_ns = process.cpu_ns,
                     .sent = process.sent,
                     .sent_bytes = process.sent_bytes,
                     .received = process.received,
                     .received_bytes = process.received_bytes,
                     .queued = {},
                     .doing = Doing::not_known,
                     .waits_for = {}};
    if (const auto now = doing.find(process.process); now != doing.end()) row.doing = now->second;
    if (const auto sender = awaited.find(process.process);
        row.doing == Doing::waits_for_message && sender != awaited.end())
      row.waits_for = name_of(sender->second, info);
    if (const auto length = queued.find(process.process); length != queued.end()) row.queued = length->second;
    if (process.in_computation) {
      add(numbers.all, row.rates);
      cpu_ns += process.cpu_ns;
    }
    numbers.processes.push_back(std::move(row));
  }
  numbers.P = numbers.all.cpu;
  numbers.P_of_run = per_second(0, cpu_ns, after.elapsed_s) * 1e-9;
  numbers.pairs = pair_rates(was, is, period_s);
  for (const PairRates& pair : numbers.pairs) {
    numbers.messages += pair.messages;
    numbers.bytes += pair.bytes;
  }
  return numbers;
}

TopNumbers rates_of_run(const TraceTotals& totals, const TraceInfo& info, bool threads) {
  return rates_between({}, totals, totals.elapsed_s, info, threads);
}

}  // namespace dpm::cli
