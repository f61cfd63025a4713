#include "answers/live/run_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "answers/live/request_window.hpp"
#include "answers/live/rows.hpp"
#include "answers/live/run_warnings.hpp"
#include "answers/live/time_answers.hpp"
#include "model/event_type.hpp"

namespace dpm::cli {
namespace {

using view::Answer;
using view::Json;

template <typename Number>
Json id_or_null(Number id, std::size_t count) {
  return id < count ? Json(id) : Json();
}

Json machines_json(const TraceInfo& info, const MachineLevels& levels) {
  Json list = Json::array();
  for (std::size_t m = 0; m < info.machines.size(); ++m) {
    const MachineInfo& machine = info.machines[m];
    list.push_back({{"id", m},
                    {"name", page_text(machine.name)},
                    {"speed", machine.speed},
                    {"cores", machine.cores},
                    {"accepts", machine.accepts},
                    {"summaries", levels.has(MachineId{static_cast<std::uint16_t>(m)})}});
  }
  return list;
}

bool has_missing_ends(const LevelsAnalysis& levels) {
  for (std::size_t pair = 0; pair < levels.pairs(); ++pair) {
    const auto ends = levels.ends_of(pair);
    if (ends.from.is_none() != ends.to.is_none()) return true;
  }
  return false;
}

// Those with events, and those that are named but were not seen: the page filters.
Json processes_json(const LiveRecording& recording) {
  const TraceInfo& info = recording.info();
  Json list = Json::array();
  for (std::uint32_t p = 0; p < info.processes.size(); ++p) {
    const ProcessInfo& process = info.processes[p];
    const bool was_seen = recording.levels().doing(ProcessId{p}) != LevelsAnalysis::Doing::not_seen;
    const bool is_live = !info.properties.scripted;
    list.push_back({{"id", p},
                    {"name", page_text(process.name)},
                    {"program", page_text(process.program)},
                    {"machine", id_or_null(process.machine.value, info.machines.size())},
                    {"pid", process.pid},
                    {"group", id_or_null(process.group.value, info.processes.size())},
                    {"cgroup", page_text(process.cgroup)},
                    {"in_computation", process.in_computation},
                    {"outside", is_live && process.pid == 0 && !was_seen}});
  }
  if (has_missing_ends(recording.levels()))
    list.push_back({{"id", kOutside.value},
                    {"name", recording.is_over() ? "(unknown)" : "outside"},
                    {"program", ""},
                    {"machine", nullptr},
                    {"pid", 0},
                    {"group", nullptr},
                    {"cgroup", ""},
                    {"in_computation", false},
                    {"outside", true}});
  return list;
}

bool has_queues(const LiveRecording& recording) {
  if (recording.queues() != nullptr && !recording.queues()->empty()) return true;
  const LevelsAnalysis& levels = recording.levels();
  for (std::uint32_t p = 0; p < levels.processes(); ++p)
    if (levels.has_queue(ProcessId{p})) return true;
  return false;
}

Json ledger_document(const Ledger& ledger) {
  Json losses = Json::array();
  for (const Loss& loss : ledger.losses)
    losses.push_back({{"reason", page_text(loss.reason)}, {"events", loss.events}});
  return {{"seen", ledger.seen},
          {"kept", ledger.kept},
          {"filtered", ledger.filtered},
          {"lost", ledger.lost},
          {"losses", std::move(losses)},
          {"text", fmt::format("{} seen = {} kept + {} filtered + {} lost", ledger.seen, ledger.kept, ledger.filtered,
                               ledger.lost)}};
}

// CPU seconds per second of the computation in the last moments.
Json P_now(const LiveRecording& recording) {
  constexpr std::int64_t kMomentNs = 1'000'000'000;
  const RunTime now = recording.now();
  const std::int64_t span_ns = std::min(kMomentNs, now.ns);
  if (span_ns <= 0) return nullptr;
  const std::vector<RunTime> edges = {{now.ns - span_ns}, {std::int64_t{1} << 61}};
  const TraceInfo& info = recording.info();
  std::uint64_t cpu_ns = 0;
  for (const auto& [row, did] : process_rows(recording, edges, true))
    if (row.value >= info.processes.size() || info[row].in_computation) cpu_ns += did.amounts.front().cpu_ns;
  return static_cast<double>(cpu_ns) / static_cast<double>(span_ns);
}

struct Standing {
  std::uint64_t running = 0;
  std::optional<std::uint64_t> queued;
};

// A process runs as long as its first thread; where that was not seen, as long as one of the others.
Standing standing_of(const LiveRecording& recording) {
  const LevelsAnalysis& levels = recording.levels();
  Standing standing;
  std::map<ProcessId, bool> runs;
  const auto add_queued = [&](std::uint64_t length) { standing.queued = standing.queued.value_or(0) + length; };
  for (std::uint32_t p = 0; p < levels.processes(); ++p) {
    const ProcessId process{p}, row = row_of(process, recording.info(), false);
    const auto doing = levels.doing(process);
    if (doing == LevelsAnalysis::Doing::not_seen) continue;
    const bool runs_on = doing != LevelsAnalysis::Doing::ended;
    if (process == row || levels.doing(row) == LevelsAnalysis::Doing::not_seen) runs[row] |= runs_on;
    if (levels.has_queue(process)) add_queued(levels.queue_length(process));
  }
  for (const auto& [row, runs_on] : runs) standing.running += runs_on;
  const bool is_known = recording.queues() != nullptr && recording.is_over() && !standing.queued;
  if (!is_known) return standing;
  for (std::uint32_t p = 0; p < levels.processes(); ++p)
    if (recording.queues()->has_queue(ProcessId{p})) add_queued(recording.queues()->still_queued(ProcessId{p}));
  return standing;
}

// Seconds since 1970: a Linux meter's clock is the clock of the day. Other meters' clocks begin when they like.
Json started(const LiveRecording& recording) {
  constexpr std::int64_t kAroundTheYear2000Ns = 946'684'800'000'000'000;
  const TraceInfo& info = recording.info();
  const MachineOffsets& offsets = recording.levels().offsets();
  if (info.properties.scripted || recording.is_empty()) return nullptr;
  for (std::uint16_t m = 0; m < info.machines.size(); ++m) {
    if (!offsets.has(MachineId{m})) continue;
    const LocalTime began = offsets.local_time(MachineId{m}, RunTime{});
    if (began.ns > kAroundTheYear2000Ns) return static_cast<double>(began.ns) * 1e-9;
  }
  return nullptr;
}

// Short: they stand in the middle of an empty plot.
std::string why_no_queues(const LiveRecording& recording, bool is_analysed) {
  if (recording.info().properties.scripted) return "Not metered (flag messagequeued).";
  return is_analysed ? "Not known: no sender here was metered." : "Known when the trace is analysed.";
}

}  // namespace

const char* state_name(const LiveRecording& recording) {
  return recording.is_cut_off() ? "cut off" : recording.is_over() ? "ended" : "recording";
}

Json version_json(const TraceVersion& version) {
  return {{"events", version.events}, {"to_s", version.to_s}, {"state", version.state}, {"is_final", version.is_final}};
}

Answer describe_answer(const LiveRecording& recording, const LiveState& state) {
  const TraceInfo& info = recording.info();
  const bool queues = has_queues(recording);
  Json why_not = Json::object();
  if (!queues) why_not["live_queues"] = why_no_queues(recording, state.is_analysed);
  if (!state.no_predictions.empty()) why_not["predict"] = page_text(state.no_predictions);
  Answer answer;
  answer.json = {
      {"title", info.scenario.empty() ? "A distributed computation" : page_text(info.scenario)},
      {"source", page_text(state.source)},
      {"state", state_name(recording)},
      {"started", started(recording)},
      {"now_s", recording.is_empty() ? 0. : recording.now().seconds()},
      {"version", state.version},
      {"dpm", state.dpm},
      {"machines", machines_json(info, recording.levels().machines())},
      {"processes", processes_json(recording)},
      {"common_time", recording.levels().offsets().is_common()},
      {"can", {{"predict", state.no_predictions.empty()}, {"follow", !recording.is_over()}, {"live_queues", queues}}},
      {"why_not", std::move(why_not)},
      {"read", recording.read_share()}};
  return answer;
}

Answer overview_answer(const Json& params, const LiveRecording& recording, const WholeFindings* whole,
                       const BestCurve& best) {
  Answer curves = run_curves(params, recording, best);
  const Standing standing = standing_of(recording);
  const double elapsed_s = recording.is_empty() ? 0 : recording.now().seconds();
  const Json all = {{"from_s", 0}, {"width", 1}};
  const double cpu_s = run_curves(all, recording, best).json.at("cpu_s");
  const bool has_best = whole != nullptr && whole->found.parallel.has_value();
  Json json = {
      {"P_now", P_now(recording)},
      {"P_run", elapsed_s > 0 ? Json(cpu_s / elapsed_s) : Json()},
      {"P_best", has_best ? Json(whole->found.parallel->parallelism.no_delay.P) : Json()},
      {"P_best_as_of", nullptr},
      {"P_method",
       "P is the CPU time of the computation divided by the time that passed. P at best is what the order of its "
       "messages permits with a CPU for each process and messages that take no time; over time, in samples of the "
       "run."}};
  json.update(curves.json);
  json["queued"] = standing.queued ? Json(*standing.queued) : Json();
  json["processes_running"] = standing.running;
  json["elapsed_s"] = elapsed_s;
  json["ledger"] = ledger_document(recording.ledger());
  json["warnings"] = Json::array();
  for (const RunWarning& warning : run_warnings(recording, whole))
    json["warnings"].push_back({{"text", page_text(warning.text)}, {"advice", page_text(warning.advice)}});
  Answer answer;
  answer.json = std::move(json);
  answer.arrays = std::move(curves.arrays);
  return answer;
}

Result<Answer> event_at_answer(const Json& params, LiveRecording& recording) {
  const auto process = process_of(params.at("process"), recording.info());
  if (!process) return process.error();
  const auto direction = params.value("direction", std::string());
  constexpr std::uint64_t kEventsMost = 300'000;
  constexpr int kWidenedMost = 10;  // by 16 each time, to 34 years
  const RunTime at = RunTime::from_seconds(params.at("at_s").get<double>());
  const bool is_before = direction == "before", is_after = direction == "after";
  std::optional<std::size_t> nearest;
  std::optional<LiveRecording::Window> window;
  for (int widened = 0; !nearest && widened <= kWidenedMost; ++widened) {
    const std::int64_t around_ns = std::int64_t{1'000'000} << (4 * widened);
    window = recording.events_of({is_after ? at.ns + 1 : at.ns - around_ns}, {is_before ? at.ns : at.ns + around_ns},
                                 kEventsMost);
    if (!window) return Error{"too many events are recorded around this moment"};
    for (std::size_t i = 0; i < window->events.size(); ++i) {
      const std::int64_t time_ns = window->times_ns[i];
      if (window->events[i].process != *process || (is_before && time_ns >= at.ns) || (is_after && time_ns <= at.ns))
        continue;
      const auto distance = [&](std::size_t e) { return std::abs(window->times_ns[e] - at.ns); };
      if (!nearest || distance(i) < distance(*nearest)) nearest = i;
    }
  }
  if (!nearest)
    return Error{direction.empty() ? "this process has no event"
                                   : "this process has no event " + direction + " this moment"};
  Answer answer;
  answer.json = {{"at_s", static_cast<double>(window->times_ns[*nearest]) * 1e-9},
                 {"type", std::string(name_of(window->events[*nearest].type))},
                 {"index", *nearest}};
  return answer;
}

}  // namespace dpm::cli
