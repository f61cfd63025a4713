#include "cli/scripting/live_evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/scripting/high_level_results.hpp"
#include "model/counted.hpp"
#include "text/printable.hpp"

namespace dpm::cli {

LiveEvaluation::LiveEvaluation(const ScriptWatch& watch, Act act, Print print, bool as_json)
    : watch_(watch),
      act_(std::move(act)),
      print_(std::move(print)),
      as_json_(as_json),
      evaluator_(watch.script(), [this](const HighLevelOccurrence& found) { report(found); }) {}

void LiveEvaluation::add(std::span<const Occurrence> occurrences, std::int64_t before_ns) {
  if (watch_.script().high_level.empty()) return;
  // Stable, so that the definitions of one record stay together, and a thread keeps its order.
  std::vector<Occurrence> by_time(occurrences.begin(), occurrences.end());
  std::stable_sort(by_time.begin(), by_time.end(),
                   [](const Occurrence& a, const Occurrence& b) { return a.time_ns < b.time_ns; });
  for (const Occurrence& found : by_time) {
    const auto process = static_cast<std::uint32_t>(found.program);
    if (states_.size() <= found.program) states_.resize(found.program + 1);
    if (!found.is_again) ++states_[found.program].events;
    states_[found.program].last = found;
    const VectorClock& clock = found.is_again ? clocks_.clock_of(process) : clocks_.perform(process);
    PrimitiveOccurrence occurrence{
        found.event, process, clocks_.count_of(process), static_cast<std::int64_t>(found.time_ns), {}};
    occurrence.fields = {found.value, process, -1, -1, -1};
    evaluator_.add(occurrence, clock);
  }
  evaluator_.time_is(before_ns);
}

void LiveEvaluation::report(const HighLevelOccurrence& found) {
  const std::vector<std::string> done = act_(found);
  const HighLevelEvent& event = watch_.script().high_level[found.event];
  if (done.empty() && !event.does(HighLevelActionKind::report) && !event.does(HighLevelActionKind::snapshot)) return;
  print_(found, as_json_ ? json_of(found, done) : text_of(found, done));
}

std::string LiveEvaluation::name_of(std::size_t process) const {
  const WatchedProgram& program = watch_.programs()[process];
  return fmt::format("{}[{}]", program.program, program.count);
}

std::string LiveEvaluation::text_of(const HighLevelOccurrence& found, const std::vector<std::string>& done) const {
  std::string text = high_level_text(found, watch_.script(), [this](std::uint32_t p) { return name_of(p); });
  for (const std::string& line : done) text += fmt::format("  {}\n", printable(line));
  if (watch_.script().high_level[found.event].does(HighLevelActionKind::snapshot))
    for (const std::string& line : snapshot()) text += fmt::format("  {}\n", printable(line));
  return text;
}

std::string LiveEvaluation::json_of(const HighLevelOccurrence& found, const std::vector<std::string>& done) const {
  auto json = high_level_json(found, watch_.script(), [this](std::uint32_t p) { return name_of(p); });
  if (!done.empty()) json["done"] = done;
  if (watch_.script().high_level[found.event].does(HighLevelActionKind::snapshot)) json["snapshot"] = snapshot();
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

std::vector<std::string> LiveEvaluation::snapshot() const {
  std::vector<std::string> lines;
  const std::vector<std::size_t> running = watch_.running();
  for (std::size_t p = 0; p < watch_.programs().size(); ++p) {
    const bool runs = std::find(running.begin(), running.end(), p) != running.end();
    std::string line = fmt::format("{} (process {}{}): ", name_of(p), watch_.programs()[p].pid, runs ? "" : ", ended");
    if (p >= states_.size() || !states_[p].last) {
      lines.push_back(line + "nothing yet");
      continue;
    }
    const State& state = states_[p];
    line +=
        fmt::format("{}, the last: {}", counted(state.events, "event"), watch_.script().events[state.last->event].name);
    const auto& action = monitor::kActionNames[watch_.script().events[state.last->event].action];
    lines.push_back(action.value.empty() ? line : line + " = " + state.last->value.to_text());
  }
  return lines;
}

}  // namespace dpm::cli
