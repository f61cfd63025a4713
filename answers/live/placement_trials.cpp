#include "answers/live/placement_trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "analysis/prediction/what_if.hpp"
#include "answers/prediction/placement_file.hpp"
#include "view/answers/request_table.hpp"

namespace dpm::cli {
namespace {

using view::Json;

std::vector<MachineInfo> machines_of(const Json& params, std::vector<MachineInfo> machines) {
  const Json changes = params.value("machines", Json::object());
  for (const auto& [name, wanted] : changes.items()) {
    auto same = std::find_if(machines.begin(), machines.end(), [&](const MachineInfo& m) { return m.name == name; });
    if (same == machines.end()) same = machines.insert(same, MachineInfo{.name = name});
    same->speed = wanted.value("speed", same->speed);
    same->cores = static_cast<std::uint16_t>(wanted.value("cores", 1. * same->cores));
  }
  return machines;
}

Placement placement_of(const Json& params) {
  Placement placement{.name = "tried", .machine_of_process = {}};
  const Json machine_of = params.value("machine_of", Json::object());
  for (const auto& [process, machine] : machine_of.items())
    placement.machine_of_process[process] = machine.get<std::string>();
  return placement;
}

WhatIf changes_of(const Json& params) {
  WhatIf what_if;
  if (const double factor = params.at("delay_factor"); factor != 1) what_if.delays.push_back({kAllMachines, factor});
  const Json replicas = params.value("replicas", Json::object());
  for (const auto& [process, copies] : replicas.items())
    if (const auto count = static_cast<std::uint32_t>(copies.get<double>()); count >= 2)
      what_if.replicas.push_back({.process = process, .copies = count});
  return what_if;
}

static_assert(view::table::kReplicas.most == kMostCopies && view::table::kDelayFactor.most == kLargestFactor);

Json prediction_document(const Prediction& prediction) {
  Json document = {{"elapsed_s", prediction.elapsed_s},
                   {"P", prediction.P},
                   {"T_s", prediction.T_s},
                   {"low_elapsed_s", nullptr},
                   {"high_elapsed_s", nullptr},
                   {"low_P", nullptr},
                   {"high_P", nullptr},
                   {"identity_error", prediction.identity_error}};
  if (!prediction.interval) return document;
  document["low_elapsed_s"] = prediction.interval->low_elapsed_s;
  document["high_elapsed_s"] = prediction.interval->high_elapsed_s;
  document["low_P"] = prediction.interval->low_P;
  document["high_P"] = prediction.interval->high_P;
  return document;
}

}  // namespace

Result<std::unique_ptr<PlacementTrials>> PlacementTrials::make(std::shared_ptr<const History> history,
                                                               const TraceInfo& info) {
  auto traced = dpm::predict(*history, traced_target(*history), {.interval = true});
  if (!traced) return traced.error();
  InferredBehaviour choice = infer_behaviour(*history);
  std::unique_ptr<PlacementTrials> trials(
      new PlacementTrials(std::move(history), *std::move(traced), std::move(choice)));
  trials->find_movable(info);
  return trials;
}

void PlacementTrials::find_movable(const TraceInfo& info) {
  const TraceInfo& described = history_->info;
  for (std::uint32_t p = 0; p < history_->process_count(); ++p) {
    const MachineId machine = described.processes[p].machine;
    const bool is_inside = p < info.processes.size() && info.processes[p].in_computation;
    has_outsiders_ |= !is_inside && !history_->of(ProcessId{p}).empty();
    is_movable_.push_back(is_inside && machine.value < described.machines.size() && described[machine].accepts);
  }
}

Result<PlacementTrials::Trial> PlacementTrials::read(const Json& params) const {
  Trial trial;
  trial.history = history_;
  trial.changes = changes_of(params);
  if (!trial.changes.replicas.empty()) {
    auto copy = std::make_shared<History>(*history_);
    if (auto added = add_copies(trial.changes, *copy); !added) return added.error();
    trial.history = std::move(copy);
  }
  const History& history = *trial.history;
  std::vector<MachineInfo> machines = machines_of(params, history.info.machines);
  const Placement placement = placement_of(params);
  if (placement.machine_of_process.empty()) {
    trial.target = traced_target(history);
    trial.target.machines = std::move(machines);
  } else {
    auto resolved = resolve(history, placement, std::move(machines), history.info.delays);
    if (!resolved) return resolved.error();
    trial.target = std::move(resolved->target);
  }
  auto notes = apply(trial.changes, history, trial.target);
  if (!notes) return notes.error();
  trial.leaves_out = *std::move(notes);
  trial.interval = params.value("interval", false);
  return trial;
}

bool PlacementTrials::is_slow(const Json& params) {
  return params.value("interval", false) || !changes_of(params).replicas.empty();
}

Result<Json> PlacementTrials::predict(const Trial& trial) const {
  const auto began = std::chrono::steady_clock::now();
  Json document;
  if (trial.is_slow()) {
    const auto prediction = dpm::predict(*trial.history, trial.target, {.interval = trial.interval});
    if (!prediction) return prediction.error();
    document = prediction_document(*prediction);
  } else {
    Replay replay(*history_, trial.target, traced_.order == Order::role ? choice_.roles : Roles());
    const ReplayResult result = replay.run(traced_.order, trial.target.machine_of);
    if (result.not_performed > 0)
      return Error{fmt::format("{} events would wait for messages that are never sent there", result.not_performed)};
    Prediction prediction;
    prediction.T_s = static_cast<double>(result.cpu_ns) * 1e-9;
    prediction.elapsed_s = result.elapsed_ns * 1e-9;
    prediction.P = prediction.elapsed_s > 0 ? prediction.T_s / prediction.elapsed_s : 0;
    prediction.identity_error = traced_.identity_error;
    document = prediction_document(prediction);
  }
  document["leaves_out"] = trial.leaves_out;
  for (const auto& warning : traced_.warnings) document["leaves_out"].push_back(warning);
  document["took_ms"] = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
  return document;
}

std::string PlacementTrials::file_text(const Trial& trial) {
  return placement_text(*trial.history, trial.target, trial.changes);
}

SearchOptions PlacementTrials::search_options() const {
  SearchOptions options;
  for (std::uint32_t p = 0; p < history_->process_count(); ++p)
    if (is_movable(p) && !history_->of(ProcessId{p}).empty())
      options.movable.push_back(history_->info.processes[p].name);
  for (const MachineInfo& machine : history_->info.machines)
    if (machine.accepts) options.machines.push_back(machine.name);
  return options;
}

}  // namespace dpm::cli
