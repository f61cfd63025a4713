#include "answers/live/placement_trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "analysis/prediction/what_if.hpp"
#include "answers/prediction/placement_file.hpp"

namespace dpm::cli {
namespace {

using view::Json;

constexpr double kSpeedMost = 1e9;

Result<void> read_machines(const Json& params, std::vector<MachineInfo>& machines) {
  const auto found = params.find("machines");
  if (found == params.end() || found->is_null()) return {};
  if (!found->is_object()) return Error{R"("machines" must be an object: {"name": {"speed": 2, "cores": 4}})"};
  for (const auto& [name, wanted] : found->items()) {
    auto same = std::find_if(machines.begin(), machines.end(), [&](const MachineInfo& m) { return m.name == name; });
    if (same == machines.end()) same = machines.insert(same, MachineInfo{.name = name});
    if (!wanted.is_object()) return Error{fmt::format("machine '{}' must be an object", name)};
    if (wanted.contains("speed")) {
      const double speed = wanted.at("speed").is_number() ? wanted.at("speed").get<double>() : 0;
      if (!(speed > 0 && speed <= kSpeedMost)) return Error{fmt::format("the speed of '{}' must be above 0", name)};
      same->speed = speed;
    }
    if (wanted.contains("cores")) {
      const double cores = wanted.at("cores").is_number() ? wanted.at("cores").get<double>() : 0;
      if (!(cores >= 1 && cores <= 65535)) return Error{fmt::format("'{}' must have from 1 to 65535 cores", name)};
      same->cores = static_cast<std::uint16_t>(cores);
    }
  }
  return {};
}

Result<Placement> read_placement(const Json& params) {
  Placement placement{.name = "tried", .machine_of_process = {}};
  const auto found = params.find("machine_of");
  if (found == params.end() || found->is_null()) return placement;
  if (!found->is_object()) return Error{R"("machine_of" must be an object: {"process": "machine"})"};
  for (const auto& [process, machine] : found->items()) {
    if (!machine.is_string()) return Error{fmt::format("the machine of '{}' must be a name", process)};
    placement.machine_of_process[process] = machine.get<std::string>();
  }
  return placement;
}

Result<WhatIf> read_replicas(const Json& params) {
  WhatIf what_if;
  const auto found = params.find("replicas");
  if (found == params.end() || found->is_null()) return what_if;
  if (!found->is_object()) return Error{R"("replicas" must be an object: {"process": 2})"};
  for (const auto& [process, copies] : found->items()) {
    const double count = copies.is_number() ? copies.get<double>() : 0;
    if (!(count >= 1 && count <= kMostCopies))
      return Error{fmt::format("'{}' can have from 1 to {} copies", process, kMostCopies)};
    if (count >= 2) what_if.replicas.push_back({.process = process, .copies = static_cast<std::uint32_t>(count)});
  }
  return what_if;
}

void lengthen(DelayModel& delays, double factor) {
  const auto of = [factor](DelayClass& one) { one.delivery_s = scaled(one.delivery_s, factor); };
  of(delays.local);
  of(delays.remote);
  for (auto& pair : delays.pairs) of(pair.delays);
}

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
  OrderChoice choice = choose_orders(*history);
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
  const auto what_if = read_replicas(params);
  if (!what_if) return what_if.error();
  if (!what_if->empty()) {
    auto copy = std::make_shared<History>(*history_);
    if (auto added = add_copies(*what_if, *copy); !added) return added.error();
    trial.history = std::move(copy);
  }
  const History& history = *trial.history;
  std::vector<MachineInfo> machines = history.info.machines;
  if (auto read = read_machines(params, machines); !read) return read.error();
  const auto placement = read_placement(params);
  if (!placement) return placement.error();
  if (placement->machine_of_process.empty()) {
    trial.target = traced_target(history);
    trial.target.machines = std::move(machines);
  } else {
    auto resolved = resolve(history, *placement, std::move(machines), history.info.delays);
    if (!resolved) return resolved.error();
    trial.target = std::move(resolved->target);
  }
  const auto factor = params.find("delay_factor");
  if (factor != params.end() && !factor->is_null()) {
    const double value = factor->is_number() ? factor->get<double>() : -1;
    if (!(value >= 0 && value <= kLargestFactor)) return Error{"'delay_factor' must be a number, 0 or more"};
    if (value != 1) lengthen(trial.target.delays, value);
  }
  if (!what_if->empty()) {
    auto notes = apply(*what_if, history, trial.target);
    if (!notes) return notes.error();
    trial.leaves_out = *std::move(notes);
  }
  trial.interval =
      params.contains("interval") && params.at("interval").is_boolean() && params.at("interval").get<bool>();
  return trial;
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

std::string PlacementTrials::file_text(const Trial& trial) { return placement_text(*trial.history, trial.target); }

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
