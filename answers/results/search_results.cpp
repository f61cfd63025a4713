#include "answers/results/search_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "answers/results/prediction_results.hpp"
#include "text/number_text.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using ProcessesOfMachine = std::map<std::string, std::vector<std::string>>;

ProcessesOfMachine by_machine(const Candidate& candidate) {
  ProcessesOfMachine processes_of;
  for (const auto& [process, machine] : candidate.placement.machine_of_process)
    processes_of[machine].push_back(process);
  return processes_of;
}

// "red: disk, buffer; blue: interpreter"
std::string places_of(const Candidate& candidate) {
  std::string text;
  for (const auto& [machine, processes] : by_machine(candidate)) {
    text += (text.empty() ? "" : "; ") + machine + ":";
    for (std::size_t i = 0; i < processes.size(); ++i) text += (i == 0 ? " " : ", ") + processes[i];
  }
  return text;
}

// Each machine with its processes. No name is cut: a line breaks only between names.
std::string full_text(const Candidate& candidate, int width) {
  std::string text;
  for (const auto& [machine, processes] : by_machine(candidate)) {
    std::string line = "  " + printable(machine) + ":";
    for (std::size_t i = 0; i < processes.size(); ++i) {
      const std::string word = printable(processes[i]) + (i + 1 < processes.size() ? "," : "");
      if (line.size() + 1 + word.size() > static_cast<std::size_t>(width)) {
        text += line + "\n";
        line = "   ";
      }
      line += " " + word;
    }
    text += line + "\n";
  }
  return text;
}

constexpr double kUsefulBound = 1;

std::string bounds_text(const SearchResult& found, std::span<const JudgedPlacement> judged) {
  if (found.regret_bound > kUsefulBound)
    return "how much slower the best is than any other could be is not known:\nthe bound of the search is above 100 "
           "%\n";
  const std::string text = fmt::format("the best is at most {} slower than any other could be, by the predictions,\n",
                                       percent(found.regret_bound, 2));
  if (judged.empty()) return text + "and by an unknown amount on real machines: its prediction has no interval\n";
  const Interval& best = judged.front().interval;
  const std::string from_to = seconds_text(best.low_elapsed_s) + " to " + seconds_text(best.high_elapsed_s);
  const double on_real = true_regret_bound(found, judged);
  if (on_real > kUsefulBound)
    return text + fmt::format("and by an unknown amount on real machines, where it takes {}\n", from_to);
  const std::string others = judged.size() == 1   ? ""
                             : judged.size() == 2 ? ",\nand that of the next one"
                                                  : fmt::format(",\nand those of the next {}", judged.size() - 1);
  return text +
         fmt::format("and at most {} on real machines, by its interval ({}){}\n", percent(on_real, 2), from_to, others);
}

}  // namespace

std::string search_text(const SearchResult& found, std::span<const JudgedPlacement> judged, int width) {
  const bool has_alike =
      std::any_of(found.candidates.begin(), found.candidates.end(), [](const Candidate& c) { return c.alike > 0; });
  std::vector<std::string> headings = {">rank", ">elapsed", ">P", "machines"};
  if (has_alike) headings.insert(headings.begin() + 3, "equal machines");
  TextTable table(headings);
  const auto add = [&](const std::string& rank, const Candidate& candidate) {
    std::vector<std::string> cells = {rank, seconds_text(candidate.elapsed_s), fixed(candidate.P, 3),
                                      places_of(candidate)};
    if (has_alike)
      cells.insert(cells.begin() + 3, candidate.alike > 0 ? fmt::format("and {} like it", candidate.alike) : "");
    table.add_row(std::move(cells));
  };
  for (std::size_t i = 0; i < found.candidates.size(); ++i) add(std::to_string(i + 1), found.candidates[i]);
  add("now", found.traced.value_or(found.base));
  if (found.traced) add("given", found.base);
  return table.to_text(width) +
         fmt::format("tried {} placements{}\n", found.evaluated, found.exhaustive ? ": all possible ones" : "") +
         bounds_text(found, judged) + "\nthe best placement:\n" + full_text(found.candidates.front(), width);
}

nlohmann::ordered_json search_json(const SearchResult& found, std::span<const JudgedPlacement> judged,
                                   const Prediction& best, const TraceInfo& info) {
  using Json = nlohmann::ordered_json;
  const auto candidate_json = [](const Candidate& candidate) {
    return Json{{"elapsed_s", candidate.elapsed_s},
                {"P", candidate.P},
                {"T_s", candidate.T_s},
                {"alike", candidate.alike},
                {"placement", candidate.placement.machine_of_process}};
  };
  Json document = prediction_json(best, info);
  document["placement"] = found.candidates.front().placement.machine_of_process;
  document["candidates"] = Json::array();
  for (std::size_t i = 0; i < found.candidates.size(); ++i) {
    document["candidates"].push_back(candidate_json(found.candidates[i]));
    if (i >= judged.size()) continue;
    const Interval& interval = judged[i].interval;
    document["candidates"].back()["interval"] = {{"low_elapsed_s", interval.low_elapsed_s},
                                                 {"high_elapsed_s", interval.high_elapsed_s}};
  }
  document["traced"] = candidate_json(found.traced.value_or(found.base));
  if (found.traced) document["given"] = candidate_json(found.base);
  document["evaluated"] = found.evaluated;
  document["exhaustive"] = found.exhaustive;
  document["lower_bound_s"] = found.lower_bound_s;
  document["regret_bound"] = found.regret_bound;
  document["true_regret_bound"] = judged.empty() ? Json() : Json(true_regret_bound(found, judged));
  return document;
}

}  // namespace dpm::cli
