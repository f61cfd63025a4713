#include "answers/live/placement_answers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "answers/live/request_window.hpp"
#include "text/number_text.hpp"

namespace dpm::cli {
namespace {

using view::Json;

Json plan_machines_json(const TraceInfo& info) {
  Json list = Json::array();
  for (const MachineInfo& machine : info.machines)
    list.push_back({{"name", page_text(machine.name)},
                    {"speed", machine.speed},
                    {"cores", machine.cores},
                    {"accepts", machine.accepts}});
  return list;
}

// Threads move with their process; a process without events has no place in a prediction.
bool is_placed(std::uint32_t process, const History& history) {
  const ProcessInfo& info = history.info.processes[process];
  return info.group.value >= history.info.processes.size() && !info.machine.is_none() &&
         info.machine.value < history.info.machines.size() && !history.of(ProcessId{process}).empty();
}

Json processes_json(const PlacementTrials& trials) {
  const History& history = trials.history();
  Json list = Json::array();
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    if (!is_placed(p, history)) continue;
    const ProcessInfo& process = history.info.processes[p];
    const MachineInfo& machine = history.info[process.machine];
    list.push_back({{"process", p},
                    {"name", page_text(process.name)},
                    {"machine", page_text(machine.name)},
                    {"fixed", !trials.is_movable(p)}});
  }
  return list;
}

// What the numbers are of, where the Overview's are of something else.
Json notes_of(const PlacementTrials& trials, double run_s) {
  constexpr double kMuch = .02;
  Json notes = Json::array();
  const double left_out_s = run_s - trials.traced().elapsed_s;
  if (left_out_s > kMuch * run_s)
    notes.push_back(
        fmt::format("The run took {}. Predicted times are of {} of it: they leave out the time in which all processes "
                    "waited for timers or for programs that were not metered, because a placement does not change it.",
                    seconds_text(run_s), seconds_text(trials.traced().elapsed_s)));
  if (trials.has_outsiders())
    notes.push_back(
        "P counts all processes here, also those outside the computation, which make its requests. The Overview's P "
        "counts the computation alone.");
  return notes;
}

}  // namespace

Json placements_document(const PlacementTrials& trials, double run_s) {
  const Prediction& traced = trials.traced();
  Json of_traced = {{"elapsed_s", traced.elapsed_s}, {"P", traced.P}};
  if (traced.interval)
    of_traced.update(Json{{"low_elapsed_s", traced.interval->low_elapsed_s},
                          {"high_elapsed_s", traced.interval->high_elapsed_s},
                          {"low_P", traced.interval->low_P},
                          {"high_P", traced.interval->high_P}});
  return {{"machines", plan_machines_json(trials.history().info)},
          {"processes", processes_json(trials)},
          {"traced", std::move(of_traced)},
          {"best", nullptr},
          {"notes", notes_of(trials, run_s)},
          {"why_not", nullptr}};
}

Json without_placements(const TraceInfo& info, const std::string& why_not) {
  return {{"machines", plan_machines_json(info)},
          {"processes", Json::array()},
          {"traced", nullptr},
          {"best", nullptr},
          {"notes", Json::array()},
          {"why_not", why_not}};
}

Result<Json> search_best(const PlacementTrials& trials,
                         const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  const History& history = trials.history();
  const Target base = traced_target(history);
  SearchOptions options = trials.search_options();
  options.keep = 1;
  options.progress = progress;
  const auto found = dpm::search(history, base, options);
  if (!found) return found.error();
  const Candidate& best = found->candidates.front();
  Json machine_of = Json::object();
  for (std::uint32_t p = 0; p < history.process_count(); ++p)
    if (is_placed(p, history))
      machine_of[history.info.processes[p].name] = base.machines[best.machine_of[p].value].name;
  return Json{{"machine_of", std::move(machine_of)},
              {"elapsed_s", best.elapsed_s},
              {"P", best.P},
              {"at_least_s", best.elapsed_s / (1 + found->regret_bound)}};
}

}  // namespace dpm::cli
