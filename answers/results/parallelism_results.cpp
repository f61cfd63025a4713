#include "answers/results/parallelism_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/counted.hpp"
#include "text/number_text.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostShares = 8;  // of processes, and of pairs with messages

nlohmann::ordered_json step_json(const ParallelismStep& step) {
  return {{"T_s", step.T_s}, {"t_max_s", step.t_max_s}, {"P", step.P}};
}

std::string shares_text(const CriticalPath& path, const TraceInfo& info, int width, bool all) {
  const auto shown_of = [&](std::size_t count) { return all ? count : std::min(count, kMostShares); };
  TextTable table({"the longest path is made of", ">time", ">share"});
  for (std::size_t i = 0; i < shown_of(path.processes.size()); ++i) {
    const ProcessShare& share = path.processes[i];
    table.add_row({"work of " + info[share.process].name, seconds_text(share.cpu_s + share.sharing_s),
                   percent(share.fraction, 1)});
  }
  for (std::size_t i = 0; i < shown_of(path.messages.size()); ++i) {
    const MessageShare& share = path.messages[i];
    table.add_row({fmt::format("{} {} to {}", counted(share.messages, "message"), info[share.sender].name,
                               info[share.receiver].name),
                   seconds_text(share.delay_s), percent(share.fraction, 1)});
  }
  if (path.outside_s > 0)
    table.add_row(
        {"time outside the computation", seconds_text(path.outside_s), percent(path.outside_s / path.t_max_s, 1)});
  const std::size_t parts = path.processes.size() + path.messages.size();
  const std::size_t shown = shown_of(path.processes.size()) + shown_of(path.messages.size());
  return table.to_text(width) + more_rows_text(parts, shown < parts ? RowLimit{shown} : RowLimit{});
}

}  // namespace

std::string parallelism_text(const Parallelism& parallelism, const CriticalPath& path, const TraceInfo& info, int width,
                             bool all) {
  TextTable steps({"step", ">T", ">t_max", ">P"});
  const auto add = [&](const std::string& name, const ParallelismStep& step) {
    steps.add_row({name, seconds_text(step.T_s), seconds_text(step.t_max_s), fixed(step.P, 3)});
  };
  steps.add_row({"as it ran, by its machines' clocks", seconds_text(parallelism.run.T_s),
                 seconds_text(parallelism.run.elapsed_s), fixed(parallelism.run.P, 3)});
  add("no delays, a machine for each process", parallelism.no_delay);
  const std::string& placement = parallelism.placement;
  add("with message delays" + (placement.empty() ? "" : " of placement '" + placement + "'"), parallelism.delay);
  if (parallelism.method == SharingMethod::none) return steps.to_text(width);
  add("and CPU sharing (" + std::string(name_of(parallelism.method)) + ")", parallelism.delay_cpu);
  return steps.to_text(width) + "\n" + shares_text(path, info, width, all);
}

nlohmann::ordered_json parallelism_json(const Parallelism& parallelism) {
  nlohmann::ordered_json document = {
      {"placement", parallelism.placement},
      {"method", name_of(parallelism.method)},
      {"as_it_ran", {{"T_s", parallelism.run.T_s}, {"elapsed_s", parallelism.run.elapsed_s}, {"P", parallelism.run.P}}},
      {"no_delay", step_json(parallelism.no_delay)},
      {"delay", step_json(parallelism.delay)}};
  if (parallelism.method == SharingMethod::none) return document;
  document["delay_cpu"] = step_json(parallelism.delay_cpu);
  document["never_overlapped"] = {{"seconds", parallelism.overlaps.seconds},
                                  {"processes", parallelism.overlaps.processes}};
  return document;
}

nlohmann::ordered_json critical_path_json(const CriticalPath& path, const TraceInfo& info) {
  Json processes = Json::array();
  for (const auto& share : path.processes)
    processes.push_back({{"process", info[share.process].name},
                         {"cpu_s", share.cpu_s},
                         {"sharing_s", share.sharing_s},
                         {"time_s", share.cpu_s + share.sharing_s},
                         {"fraction", share.fraction}});
  Json messages = Json::array();
  for (const auto& share : path.messages)
    messages.push_back({{"from", info[share.sender].name},
                        {"to", info[share.receiver].name},
                        {"count", share.messages},
                        {"delay_s", share.delay_s},
                        {"fraction", share.fraction}});
  return {{"t_max_s", path.t_max_s},
          {"processes", std::move(processes)},
          {"messages", std::move(messages)},
          {"outside_s", path.outside_s},
          {"outside_fraction", path.t_max_s > 0 ? path.outside_s / path.t_max_s : 0}};
}

}  // namespace dpm::cli
