#include "answers/live/time_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "answers/live/request_window.hpp"
#include "answers/live/rows.hpp"

namespace dpm::cli {
namespace {

using view::Answer;
using view::Json;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kValuesMost = 3'000'000;  // looked up for one answer: 50 ms
constexpr std::size_t kBinsLeast = 32;          // of curves of many processes, if that many are wanted

double as_double(std::uint64_t number) { return static_cast<double>(number); }

// Curves of many processes get fewer bins, so that an answer does not take longer.
std::size_t bins_of(const RequestWindow& window, const LevelsAnalysis& levels, std::size_t curves = 1) {
  const std::size_t values = curves * std::max<std::size_t>(levels.processes(), 1);
  return std::min(window.width, std::max(kBinsLeast, kValuesMost / values));
}

struct Sums {
  ProcessAmounts amounts;
  double queue = kUnknown;  // mean length

  void add(const ProcessRow& row, std::size_t bin, const WindowBins& bins) {
    amounts += row.amounts[bin];
    const double length = row.queue_mean(bin, bins.left(bin), bins.right(bin));
    if (!std::isnan(length)) queue = std::isnan(queue) ? length : queue + length;
  }
};

// The messages of pairs of which no SEND is metered. With the SENDs of all processes, each message is counted once, as it is
// in the arcs.
void add_received_alone(const LiveRecording& recording, const WindowBins& bins, std::vector<PairAmounts>& sums) {
  const LevelsAnalysis& levels = recording.levels();
  const RunTime ends[] = {bins.edges.front(), bins.edges.back()};
  for (std::size_t pair = 0; pair < levels.pairs(); ++pair) {
    if (!levels.is_counted_by_receives(pair) || levels.of_pair(pair, ends).front().messages == 0) continue;
    const auto did = levels.of_pair(pair, bins.edges);
    for (std::size_t i = 0; i < did.size(); ++i) sums[i] += did[i];
  }
}

bool in_computation(ProcessId process, const TraceInfo& info) {
  return process.value >= info.processes.size() || info[process].in_computation;
}

std::vector<double> best_over(const WindowBins& bins, const RequestWindow& window, const BestCurve& best) {
  std::vector<RunTime> edges = bins.edges;
  edges.front() = window.from;
  edges.back() = window.to;
  return best.between(edges);
}

// ---- series

// What a series is of, and what it shows.
struct Wanted {
  std::string what;
  std::optional<ProcessId> process;
  std::optional<std::pair<ProcessId, ProcessId>> pair;
  std::optional<std::pair<MachineId, MachineSeries>> machine;
};

std::optional<MachineSeries> machine_series_named(const std::string& name) {
  for (const MachineSeriesName& known : kMachineSeries)
    if (known.name == name) return known.series;
  return std::nullopt;
}

Result<Wanted> wanted_of_machine(Wanted wanted, const Json& entry, const TraceInfo& info) {
  const auto number = entry.at("machine").get<std::uint64_t>();
  const auto series = machine_series_named(wanted.what);
  if (!series) return Error{fmt::format("machines have no series '{}'", wanted.what)};
  if (number >= info.machines.size()) return Error{fmt::format("the trace has no machine {}", number)};
  wanted.machine = {MachineId{static_cast<std::uint16_t>(number)}, *series};
  return wanted;
}

Result<Wanted> wanted_of(const Json& entry, const TraceInfo& info) {
  Wanted wanted{.what = entry.at("what").get<std::string>(), .process = {}, .pair = {}, .machine = {}};
  if (entry.contains("machine")) return wanted_of_machine(std::move(wanted), entry, info);
  if (machine_series_named(wanted.what)) return Error{fmt::format("the series '{}' is of a machine", wanted.what)};
  if (entry.contains("from") && entry.contains("to")) {
    const auto from = process_of(entry.at("from"), info), to = process_of(entry.at("to"), info);
    if (!from) return from.error();
    if (!to) return to.error();
    if (wanted.what != "messages" && wanted.what != "bytes")
      return Error{fmt::format("there is no series '{}' of a pair: only 'messages' and 'bytes'", wanted.what)};
    wanted.pair = {*from, *to};
  } else if (entry.contains("process")) {
    const auto process = process_of(entry.at("process"), info);
    if (!process) return process.error();
    wanted.process = *process;
  }
  return wanted;
}

double value_of(const std::string& what, const Sums& sums, double step_s) {
  const ProcessAmounts& a = sums.amounts;
  const double step_ns = step_s * 1e9;
  if (what == "cpu") return as_double(a.cpu_ns) / step_ns;
  if (what == "waiting") return as_double(a.waiting_ns) / step_ns;
  if (what == "queue") return sums.queue;
  if (what == "sent") return as_double(a.sent) / step_s;
  if (what == "received") return as_double(a.received) / step_s;
  if (what == "sent_bytes") return as_double(a.sent_bytes) / step_s;
  if (what == "received_bytes") return as_double(a.received_bytes) / step_s;
  // Of one process: what it sends, or, if it sends nothing, what it receives.
  if (what == "messages") return as_double(a.sent > 0 ? a.sent : a.received) / step_s;
  return as_double(a.sent > 0 ? a.sent_bytes : a.received_bytes) / step_s;
}

std::vector<double> pair_values(const Wanted& wanted, const RequestWindow& window, const WindowBins& bins,
                                const LiveRecording& recording) {
  const auto is_wanted = [&](ProcessId from, ProcessId to) { return std::pair{from, to} == *wanted.pair; };
  const auto rows = pair_rows(recording, bins.edges, window.threads, is_wanted);
  std::vector<double> values(bins.left_s.size(), 0);
  if (rows.empty()) return values;
  const auto& amounts = rows.begin()->second;
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = as_double(wanted.what == "bytes" ? amounts[i].bytes : amounts[i].messages) / bins.step_s;
  return values;
}

std::vector<double> messages_of_run(const Wanted& wanted, const WindowBins& bins, const LiveRecording& recording) {
  std::vector<PairAmounts> sums(bins.left_s.size());
  for (const auto& [row, did] : process_rows(recording, bins.edges, true))
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += {did.amounts[i].sent, did.amounts[i].sent_bytes};
  add_received_alone(recording, bins, sums);
  std::vector<double> values;
  for (const PairAmounts& sum : sums)
    values.push_back(as_double(wanted.what == "bytes" ? sum.bytes : sum.messages) / bins.step_s);
  return values;
}

std::vector<double> process_values(const Wanted& wanted, const RequestWindow& window, const WindowBins& bins,
                                   const LiveRecording& recording) {
  const TraceInfo& info = recording.info();
  const bool of_run = !wanted.process && (wanted.what == "messages" || wanted.what == "bytes");
  if (of_run) return messages_of_run(wanted, bins, recording);
  const auto is_wanted = [&](ProcessId row) {
    return wanted.process ? row == *wanted.process : in_computation(row, info);
  };
  const auto rows = process_rows(recording, bins.edges, window.threads, is_wanted);
  std::vector<Sums> sums(bins.left_s.size());
  for (const auto& [row, did] : rows)
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i].add(did, i, bins);
  std::vector<double> values;
  for (const Sums& sum : sums) values.push_back(value_of(wanted.what, sum, bins.step_s));
  return values;
}

std::vector<double> values_of(const Wanted& wanted, const RequestWindow& window, const WindowBins& bins,
                              const LiveRecording& recording) {
  const LevelsAnalysis& levels = recording.levels();
  if (wanted.machine)
    return levels.machines().of(wanted.machine->first, wanted.machine->second, bins.edges, levels.offsets());
  return wanted.pair ? pair_values(wanted, window, bins, recording) : process_values(wanted, window, bins, recording);
}

}  // namespace

Answer traffic_answer(const Json& params, const LiveRecording& recording) {
  const RequestWindow window = window_of(params, recording);
  const RunTime before{window.from.ns - (window.to.ns - window.from.ns)};
  const std::vector<RunTime> edges = window.begins_with_run
                                         ? std::vector<RunTime>{window.sum_from(), window.sum_to()}
                                         : std::vector<RunTime>{before, window.from, window.sum_to()};
  const std::size_t now = edges.size() - 2;
  std::vector<std::uint32_t> process, from, to;
  std::vector<double> cpu_s, waiting_s, queue, messages, bytes, before_messages, before_bytes;
  for (const auto& [row, did] : process_rows(recording, edges, window.threads)) {
    const ProcessAmounts& amounts = did.amounts[now];
    process.push_back(row.value);
    cpu_s.push_back(as_double(amounts.cpu_ns) * 1e-9);
    waiting_s.push_back(as_double(amounts.waiting_ns) * 1e-9);
    queue.push_back(did.queue_mean(now, window.from, window.to));
  }
  for (const auto& [ends, did] : pair_rows(recording, edges, window.threads)) {
    from.push_back(ends.first.value);
    to.push_back(ends.second.value);
    messages.push_back(as_double(did[now].messages));
    bytes.push_back(as_double(did[now].bytes));
    before_messages.push_back(now > 0 ? as_double(did[0].messages) : 0);
    before_bytes.push_back(now > 0 ? as_double(did[0].bytes) : 0);
  }
  Answer answer;
  answer.json = {{"span_s", window.span_s()},
                 {"before_span_s", now > 0 ? std::min(window.span_s(), window.from.seconds()) : 0.}};
  answer.arrays = {{"process", std::move(process)},
                   {"cpu_s", std::move(cpu_s)},
                   {"waiting_s", std::move(waiting_s)},
                   {"queue", std::move(queue)},
                   {"from", std::move(from)},
                   {"to", std::move(to)},
                   {"messages", std::move(messages)},
                   {"bytes", std::move(bytes)},
                   {"before_messages", std::move(before_messages)},
                   {"before_bytes", std::move(before_bytes)}};
  return answer;
}

Result<Answer> series_answer(const Json& params, const LiveRecording& recording) {
  const RequestWindow window = window_of(params, recording);
  std::vector<Wanted> all;
  std::size_t of_run = 0;
  for (const Json& entry : params.at("of")) {
    auto wanted = wanted_of(entry, recording.info());
    if (!wanted) return wanted.error();
    of_run += wanted->process || wanted->pair || wanted->machine ? 0 : 1;
    all.push_back(*std::move(wanted));
  }
  const std::size_t most = of_run > 0 ? bins_of(window, recording.levels(), of_run) : window.width;
  const WindowBins bins = cut(window, recording.levels(), most);
  Answer answer;
  answer.json = {{"step_s", bins.step_s}};
  answer.arrays.push_back({"t_s", bins.left_s});
  for (std::size_t i = 0; i < all.size(); ++i)
    answer.arrays.push_back({fmt::format("v{}", i), values_of(all[i], window, bins, recording)});
  return answer;
}

Answer run_curves(const Json& params, const LiveRecording& recording, const BestCurve& best) {
  const RequestWindow window = window_of(params, recording);
  const LevelsAnalysis& levels = recording.levels();
  const TraceInfo& info = recording.info();
  const WindowBins bins = cut(window, levels, bins_of(window, levels));
  std::vector<Sums> computation(bins.left_s.size()), all_processes(bins.left_s.size());
  for (const auto& [row, did] : process_rows(recording, bins.edges, true))
    for (std::size_t i = 0; i < all_processes.size(); ++i) {
      all_processes[i].add(did, i, bins);
      if (in_computation(row, info)) computation[i].amounts += did.amounts[i];
    }
  std::vector<PairAmounts> exchanged;
  for (const Sums& sum : all_processes) exchanged.push_back({sum.amounts.sent, sum.amounts.sent_bytes});
  add_received_alone(recording, bins, exchanged);
  PairAmounts all;
  std::vector<double> P, messages, bytes, queued;
  std::vector<double> P_best = best_over(bins, window, best);
  double cpu_s = 0, cpu_all_s = 0;
  for (std::size_t i = 0; i < all_processes.size(); ++i) {
    const double used_s = as_double(computation[i].amounts.cpu_ns) * 1e-9;
    cpu_s += used_s;
    cpu_all_s += as_double(all_processes[i].amounts.cpu_ns) * 1e-9;
    all += exchanged[i];
    P.push_back(used_s / bins.step_s);
    messages.push_back(as_double(exchanged[i].messages) / bins.step_s);
    bytes.push_back(as_double(exchanged[i].bytes) / bins.step_s);
    queued.push_back(all_processes[i].queue);
  }
  Answer answer;
  answer.json = {{"cpu_s", cpu_s},
                 {"cpu_all_s", cpu_all_s},
                 {"messages", all.messages},
                 {"bytes", all.bytes},
                 {"step_s", bins.step_s}};
  answer.arrays = {{"t_s", bins.left_s},
                   {"P_of", std::move(P)},
                   {"P_best_of", std::move(P_best)},
                   {"messages_of", std::move(messages)},
                   {"bytes_of", std::move(bytes)},
                   {"queued_of", std::move(queued)}};
  return answer;
}

}  // namespace dpm::cli
