#include "cli/results/prediction_results.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "cli/text_table.hpp"

namespace dpm::cli {
namespace {

// "red: disk, buffer; blue: interpreter"
std::string places_of(const Candidate& candidate) {
  std::map<std::string, std::string> processes_of;
  for (const auto& [process, machine] : candidate.placement.machine_of_process) {
    std::string& list = processes_of[machine];
    list += (list.empty() ? "" : ", ") + process;
  }
  std::string text;
  for (const auto& [machine, processes] : processes_of) text += (text.empty() ? "" : "; ") + machine + ": " + processes;
  return text;
}

}  // namespace

std::string prediction_text(const std::vector<Prediction>& predictions, const std::vector<PredictionChange>& changes,
                            int width) {
  TextTable table({"placement", "order", ">P", ">elapsed", ">P of all orders", ">identity error", ">clock error"});
  const auto add = [&](const Prediction& p, const std::string& name) {
    table.add_row({name, std::string(name_of(p.order)), fixed(p.P, 3), seconds_text(p.elapsed_s),
                   fixed(p.spread.low_P, 3) + " to " + fixed(p.spread.high_P, 3), percent(p.identity_error, 2),
                   p.clock_error ? percent(*p.clock_error, 2) : "-"});
  };
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const std::string name = predictions[i].placement.empty() ? "as traced" : predictions[i].placement;
    if (changes.empty()) {
      add(predictions[i], name);
      continue;
    }
    add(changes[i].before, name);
    std::string with = "  with";
    for (const auto& word : changes[i].words) with += (&word == &changes[i].words.front() ? " " : ", ") + word;
    add(predictions[i], with);
  }
  return table.to_text(width);
}

nlohmann::ordered_json change_json(const PredictionChange& change) {
  const Prediction& before = change.before;
  return {{"changes", change.words},
          {"before", {{"P", before.P}, {"T_s", before.T_s}, {"elapsed_s", before.elapsed_s}}},
          {"notes", change.notes}};
}

nlohmann::ordered_json prediction_json(const Prediction& prediction, const TraceInfo& info) {
  using Json = nlohmann::ordered_json;
  Json document = {{"placement", prediction.placement},
                   {"P", prediction.P},
                   {"T_s", prediction.T_s},
                   {"elapsed_s", prediction.elapsed_s},
                   {"order", name_of(prediction.order)},
                   {"method", name_of(prediction.method)},
                   {"spread",
                    {{"low", prediction.spread.low_P},
                     {"high", prediction.spread.high_P},
                     {"low_elapsed_s", prediction.spread.low_elapsed_s},
                     {"high_elapsed_s", prediction.spread.high_elapsed_s}}},
                   {"identity_error", prediction.identity_error},
                   {"clock_error", prediction.clock_error ? Json(*prediction.clock_error) : Json()},
                   {"warnings", prediction.warnings}};
  if (prediction.sensitivity)
    document["sensitivity"] = {{"delays_10_percent_longer", prediction.sensitivity->delays_10_percent_longer},
                               {"cpu_10_percent_slower", prediction.sensitivity->cpu_10_percent_slower}};
  if (!prediction.roles.empty()) {
    Json roles = Json::array();
    for (const auto& group : prediction.roles) {
      Json workers = Json::array();
      for (const auto worker : group.workers) workers.push_back(info[worker].name);
      roles.push_back({{"dispatcher", info[group.dispatcher].name}, {"workers", std::move(workers)}});
    }
    document["roles"] = std::move(roles);
  }
  return document;
}

std::string taken_out_text(const TracingCost& cost, const std::vector<Prediction>& with_it) {
  const auto seconds = [](std::uint64_t ns) { return seconds_text(static_cast<double>(ns) * 1e-9); };
  std::string text = "taken out of the CPU times: " + seconds(cost.metering_ns) + " of metering (" +
                     std::to_string(cost.calls) + " calls), " + seconds(cost.wake_up_ns) + " of waking (" +
                     std::to_string(cost.wake_ups) + " times on another machine)\n";
  for (const auto& p : with_it)
    text += "with it left in, " + (p.placement.empty() ? "as traced" : p.placement) + ": P " + fixed(p.P, 3) +
            ", elapsed " + seconds_text(p.elapsed_s) + "\n";
  return text;
}

nlohmann::ordered_json taken_out_json(const TracingCost& cost, const Prediction& with_it) {
  return {{"calls", cost.calls},
          {"metering_s", static_cast<double>(cost.metering_ns) * 1e-9},
          {"wake_ups", cost.wake_ups},
          {"wake_ups_s", static_cast<double>(cost.wake_up_ns) * 1e-9},
          {"with_it", {{"P", with_it.P}, {"T_s", with_it.T_s}, {"elapsed_s", with_it.elapsed_s}}}};
}

std::string search_text(const SearchResult& found, int width) {
  TextTable table({">rank", ">elapsed", ">P", "machines"});
  const auto add = [&](const std::string& rank, const Candidate& candidate) {
    table.add_row({rank, seconds_text(candidate.elapsed_s), fixed(candidate.P, 3), places_of(candidate)});
  };
  for (std::size_t i = 0; i < found.candidates.size(); ++i) add(std::to_string(i + 1), found.candidates[i]);
  add("now", found.base);
  std::string text = table.to_text(width);
  text += "tried " + std::to_string(found.evaluated) + " placements" + (found.exhaustive ? ": all there are" : "");
  return text + "\nthe best is at most " + percent(found.regret_bound, 2) + " slower than any other could be\n";
}

nlohmann::ordered_json search_json(const SearchResult& found, const Prediction& best, const TraceInfo& info) {
  using Json = nlohmann::ordered_json;
  const auto candidate_json = [](const Candidate& candidate) {
    return Json{{"elapsed_s", candidate.elapsed_s},
                {"P", candidate.P},
                {"T_s", candidate.T_s},
                {"placement", candidate.placement.machine_of_process}};
  };
  Json document = prediction_json(best, info);
  document["placement"] = found.candidates.front().placement.machine_of_process;
  document["candidates"] = Json::array();
  for (const auto& candidate : found.candidates) document["candidates"].push_back(candidate_json(candidate));
  document["traced"] = candidate_json(found.base);
  document["evaluated"] = found.evaluated;
  document["exhaustive"] = found.exhaustive;
  document["lower_bound_s"] = found.lower_bound_s;
  document["regret_bound"] = found.regret_bound;
  return document;
}

}  // namespace dpm::cli
