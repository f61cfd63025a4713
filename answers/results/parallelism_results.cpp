#include "answers/results/parallelism_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

// Null: the trace does not have it.
nlohmann::ordered_json other_load_json(const Parallelism& parallelism) {
  if (!parallelism.other_load) return nullptr;
  Json document = step_json(*parallelism.other_load);
  document["machines"] = Json::array();
  for (const MachineLoad& load : parallelism.machines)
    document["machines"].push_back({{"machine", load.name},
                                    {"known_from", name_of(load.evidence)},
                                    {"cpu_s", load.cpu_s},
                                    {"other_processes", load.others},
                                    {"run_queue_wait_s", load.ready_s},
                                    {"run_queue_wait_for_others_s", load.ready_for_others_s}});
  return document;
}

std::string evidence_text(const MachineLoad& load) {
  return load.evidence == LoadEvidence::none ? "not known" : std::string(name_of(load.evidence));
}

std::string loads_text(const std::vector<MachineLoad>& loads, int width) {
  TextTable table({"machine", ">CPU time", ">other processes", ">run-queue wait", ">for others", "known from"});
  for (const MachineLoad& load : loads) {
    const bool by_waits = load.evidence == LoadEvidence::run_queue_wait;
    table.add_row(
        {load.name, seconds_text(load.cpu_s), load.evidence == LoadEvidence::load_average ? fixed(load.others, 2) : "-",
         load.ready_s > 0 ? seconds_text(load.ready_s) : "-",
         by_waits || load.ready_for_others_s > 0 ? seconds_text(load.ready_for_others_s) : "-", evidence_text(load)});
  }
  return table.to_text(width);
}

// Where it is the same as without, the table stays as short as it was.
bool is_worth_showing(const Parallelism& parallelism) {
  return parallelism.other_load && parallelism.other_load->t_max_s > 1.01 * parallelism.delay_cpu.t_max_s;
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

struct FactorWords {
  const char* key;
  const char* text;
};

// In the order of the factors.
constexpr std::array<FactorWords, 5> kFactors = {{{"load_balance", "load balance"},
                                                  {"serialisation", "serialisation"},
                                                  {"transfer", "transfer"},
                                                  {"cpu_sharing", "CPU sharing"},
                                                  {"unexplained", "no message explains"}}};

const FactorWords& words_of(EfficiencyFactor factor) { return kFactors[static_cast<std::size_t>(factor)]; }

std::string most_of_it(const EfficiencyStep& step, const Efficiency& efficiency, const TraceInfo& info) {
  if (!step.blame) return "";
  const std::string time = seconds_text(step.blame->seconds);
  if (step.blame->process.is_none()) return time + " outside";
  const std::string& name = info[step.blame->process].name;
  switch (step.factor) {
    case EfficiencyFactor::load_balance:
      return fmt::format("{} works {}, the mean is {}", name, time,
                         seconds_text(efficiency.T_s / efficiency.processors));
    case EfficiencyFactor::serialisation:
      return fmt::format("others wait while {} works {}", name, time);
    case EfficiencyFactor::transfer:
      return fmt::format("{} to {} take {}", name, info[step.blame->receiver].name, time);
    case EfficiencyFactor::sharing:
      return fmt::format("{} waits {} for a CPU", name, time);
    case EfficiencyFactor::unexplained:
      return fmt::format("{} lasts {} longer", name, time);
  }
  return "";
}

Json efficiency_json(const Efficiency& efficiency, const TraceInfo& info) {
  Json factors = Json::array();
  for (const EfficiencyStep& step : efficiency.steps) {
    Json blame;
    if (step.blame) {
      const bool is_outside = step.blame->process.is_none();
      blame = {{"process", is_outside ? Json() : Json(info[step.blame->process].name)},
               {"seconds", step.blame->seconds}};
      if (!step.blame->receiver.is_none()) blame["receiver"] = info[step.blame->receiver].name;
    }
    factors.push_back({{"factor", words_of(step.factor).key},
                       {"value", step.value},
                       {"is_low", step.is_low()},
                       {"P", step.P},
                       {"mended_P", step.mended_P ? Json(*step.mended_P) : Json()},
                       {"blame", std::move(blame)}});
  }
  return {{"processors", efficiency.processors},
          {"T_s", efficiency.T_s},
          {"elapsed_s", efficiency.elapsed_s},
          {"P", efficiency.P},
          {"parallel_efficiency", efficiency.parallel_efficiency()},
          {"good_from", kGoodEfficiency},
          {"factors", std::move(factors)}};
}

Json critical_path_json(const CriticalPath& path, const TraceInfo& info) {
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

}  // namespace

std::string efficiency_text(const Efficiency& efficiency, const TraceInfo& info, int width) {
  TextTable table({"from processors to P", ">factor", ">leaves", ">mended", "~most of it"});
  table.add_row({counted(efficiency.processors, "processor"), "", fixed(efficiency.processors, 3), "", ""});
  for (const EfficiencyStep& step : efficiency.steps)
    table.add_row({words_of(step.factor).text, (step.is_low() ? "low " : "") + fixed(step.value, 3), fixed(step.P, 3),
                   step.mended_P ? fixed(*step.mended_P, 3) : "", most_of_it(step, efficiency, info)});
  table.add_row({"parallel efficiency", fixed(efficiency.parallel_efficiency(), 3), fixed(efficiency.P, 3), "", ""});
  return table.to_text(width);
}

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
  if (!is_worth_showing(parallelism)) return steps.to_text(width) + "\n" + shares_text(path, info, width, all);
  add("and the other load of the machines", *parallelism.other_load);
  return steps.to_text(width) + "\n" + loads_text(parallelism.machines, width) + "\n" +
         shares_text(path, info, width, all);
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
  document["other_load"] = other_load_json(parallelism);
  document["never_overlapped"] = {{"seconds", parallelism.overlaps.seconds},
                                  {"processes", parallelism.overlaps.processes}};
  return document;
}

Json parallelism_json(const Parallelism& parallelism, const Efficiency& efficiency, const CriticalPath& path,
                      const TraceInfo& info) {
  Json document = parallelism_json(parallelism);
  document["efficiency"] = efficiency_json(efficiency, info);
  document["critical_path"] = critical_path_json(path, info);
  return document;
}

}  // namespace dpm::cli
