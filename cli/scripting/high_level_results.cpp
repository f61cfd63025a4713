#include "cli/scripting/high_level_results.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "filter/scripts/expression_state.hpp"
#include "model/counted.hpp"
#include "text/printable.hpp"

namespace dpm::cli {

std::string high_level_text(const HighLevelOccurrence& found, const EventScript& script, const NameOfProcess& name_of) {
  std::string text = printable(script.high_level[found.event].name) + ":";
  const char* before = " ";
  for (const PrimitiveOccurrence& part : found.parts) {
    text += fmt::format("{}{} of {} = {}", before, printable(script.events[part.event].name),
                        printable(name_of(part.process)), part.fields[0].to_text());
    if (part.time_ns != found.parts.front().time_ns)
      text += fmt::format(" after {:.3f} ms", static_cast<double>(part.time_ns - found.parts.front().time_ns) * 1e-6);
    before = ", ";
  }
  return text + '\n';
}

nlohmann::ordered_json high_level_json(const HighLevelOccurrence& found, const EventScript& script,
                                       const NameOfProcess& name_of) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const PrimitiveOccurrence& part : found.parts)
    parts.push_back({{"event", script.events[part.event].name},
                     {"process", name_of(part.process)},
                     {"time_ns", part.time_ns},
                     {"value", part.fields[0].as_json<nlohmann::ordered_json>()}});
  return {{"time_ns", found.time_ns}, {"when", script.high_level[found.event].name}, {"parts", std::move(parts)}};
}

std::string high_level_summary_text(const EventEvaluator& evaluator, const EventScript& script) {
  std::string text;
  for (std::size_t h = 0; h < script.high_level.size(); ++h)
    text +=
        fmt::format("{} happened {}\n", printable(script.high_level[h].name), counted(evaluator.count_of(h), "time"));
  if (evaluator.given_up() != 0)
    text +=
        fmt::format("{} occurrences were given up, because more than {} waited in one place: events may be missing\n",
                    evaluator.given_up(), kWaitingMost);
  return text;
}

}  // namespace dpm::cli
