#include "answers/live/levels_answer.hpp"

#include <cmath>

#include "answers/live/request_window.hpp"
#include "answers/live/rows.hpp"

namespace dpm::cli {
namespace {

using view::Json;

constexpr std::size_t kValuesMost = 400'000;  // of processes: a file stays below some megabytes
constexpr std::size_t kBinsLeast = 32;

double seconds_of(std::uint64_t time_ns) { return static_cast<double>(time_ns) * 1e-9; }

// Microseconds are exact enough for a sum, and short as text.
double rounded(double value_s) { return std::round(value_s * 1e6) / 1e6; }

Json process_json(ProcessId process, const ProcessRow& row, const WindowBins& bins) {
  Json at = Json::array(), cpu_s = Json::array(), waiting_s = Json::array(), queue = Json::array();
  for (std::size_t bin = 0; bin < row.amounts.size(); ++bin) {
    const ProcessAmounts& did = row.amounts[bin];
    if (did == ProcessAmounts{}) continue;
    at.push_back(bin);
    cpu_s.push_back(rounded(seconds_of(did.cpu_ns)));
    waiting_s.push_back(rounded(seconds_of(did.waiting_ns)));
    if (row.has_queue) queue.push_back(rounded(row.queue_mean(bin, bins.left(bin), bins.right(bin))));
  }
  Json json = {{"process", process.value},
               {"at", std::move(at)},
               {"cpu_s", std::move(cpu_s)},
               {"waiting_s", std::move(waiting_s)}};
  if (row.has_queue) json["queue"] = std::move(queue);
  return json;
}

Json pair_json(const PairEnds& ends, const std::vector<PairAmounts>& amounts) {
  Json at = Json::array(), messages = Json::array(), bytes = Json::array();
  for (std::size_t bin = 0; bin < amounts.size(); ++bin) {
    if (amounts[bin] == PairAmounts{}) continue;
    at.push_back(bin);
    messages.push_back(amounts[bin].messages);
    bytes.push_back(amounts[bin].bytes);
  }
  return {{"from", ends.first.value},
          {"to", ends.second.value},
          {"at", std::move(at)},
          {"messages", std::move(messages)},
          {"bytes", std::move(bytes)}};
}

Json machine_json(MachineId machine, const WindowBins& bins, const LevelsAnalysis& levels) {
  Json json = {{"machine", machine.value}};
  for (const MachineSeriesName& series : kMachineSeries) {
    Json& values = json[std::string(series.name)] = Json::array();
    for (const double value : levels.machines().of(machine, series.series, bins.edges, levels.offsets()))
      values.push_back(std::isfinite(value) ? Json(rounded(value)) : Json(nullptr));
  }
  return json;
}

}  // namespace

view::Answer levels_answer(const Json& params, const LiveRecording& recording, const BestCurve& best) {
  const RequestWindow window = window_of(params, recording);
  const LevelsAnalysis& levels = recording.levels();
  const std::size_t affordable = std::max(kBinsLeast, kValuesMost / std::max<std::size_t>(levels.processes(), 1));
  const WindowBins bins = cut(window, levels, std::min(window.width, affordable));
  Json processes = Json::array(), pairs = Json::array(), P_best = Json::array();
  for (const auto& [process, row] : process_rows(recording, bins.edges, window.threads))
    processes.push_back(process_json(process, row, bins));
  each_pair_row(recording, bins.edges, window.threads,
                [&](const PairEnds& ends, const std::vector<PairAmounts>& amounts) {
                  pairs.push_back(pair_json(ends, amounts));
                });
  Json machines = Json::array();
  for (std::size_t m = 0; m < recording.info().machines.size(); ++m)
    if (const MachineId machine{static_cast<std::uint16_t>(m)}; levels.machines().has(machine))
      machines.push_back(machine_json(machine, bins, levels));
  std::vector<RunTime> edges = bins.edges;
  edges.front() = window.from;
  edges.back() = window.to;
  for (const double P : best.between(edges)) P_best.push_back(std::isfinite(P) ? Json(P) : Json(nullptr));
  view::Answer answer{{{"from_s", window.from.seconds()},
                       {"step_s", bins.step_s},
                       {"bins", bins.left_s.size()},
                       {"processes", std::move(processes)},
                       {"pairs", std::move(pairs)},
                       {"P_best", std::move(P_best)}},
                      {}};
  if (!machines.empty()) answer.json["machines"] = std::move(machines);
  return answer;
}

}  // namespace dpm::cli
