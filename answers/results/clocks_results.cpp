#include "answers/results/clocks_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "answers/results/ledger_results.hpp"
#include "text/number_text.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kUnknownClock = "unknown";
constexpr double kSecond = 1e9;
constexpr std::size_t kViaShown = 3;
constexpr std::size_t kUnknownNamed = 5;

std::string offset_text(std::int64_t ns) {
  const double seconds = static_cast<double>(ns) / kSecond;
  if (std::abs(seconds) >= 1) return fixed(seconds, 6) + " s";
  return (ns < 0 ? "-" : "") + seconds_text(std::abs(seconds));
}

std::string ppm_text(double rate) { return std::isfinite(rate) ? fixed(rate * 1e6, 3) : kUnknownClock; }
Json ppm_json(double rate) { return std::isfinite(rate) ? Json(rate * 1e6) : Json(); }

}  // namespace

std::string clocks_text(const Clocks& clocks, const TraceInfo& info, int width, bool all) {
  TextTable table({"clock", "less that of", ">offset from", ">to", ">width", ">drift ppm from", ">to",
                   ">messages there", ">back", "via"},
                  all ? RowLimit{} : RowLimit{kRowsShown}, 2);
  for (const ClockRelation& known : clocks.relations) {
    const Bounds& more = known.offset.more;
    std::string via;
    for (std::size_t i = 0; i < std::min(known.via.size(), kViaShown); ++i)
      via += (via.empty() ? "" : ", ") + info[known.via[i]].name;
    if (known.via.size() > kViaShown) via += fmt::format(" and {} more", known.via.size() - kViaShown);
    table.add_row({info[known.b].name, info[known.a].name,
                   std::isfinite(more.low) ? offset_text(known.offset.low_ns()) : kUnknownClock,
                   std::isfinite(more.high) ? offset_text(known.offset.high_ns()) : kUnknownClock,
                   more.has_both() ? seconds_text(more.width() / kSecond) : kUnknownClock, ppm_text(known.drift.low),
                   ppm_text(known.drift.high), std::to_string(known.messages_from_a),
                   std::to_string(known.messages_from_b), via});
  }
  return table.empty() ? "there is only one machine, so there are no clocks to compare\n" : table.to_text(width);
}

Json clocks_json(const Clocks& clocks, const TraceInfo& info, const Ledger& ledger) {
  Json relations = Json::array(), steps = Json::array(), machines = Json::array();
  for (std::size_t m = 0; m < clocks.tick_ns.size(); ++m)
    machines.push_back({{"machine", info.machines.at(m).name}, {"tick_ns", clocks.tick_ns[m]}});
  for (const ClockRelation& known : clocks.relations) {
    const Bounds& more = known.offset.more;
    Json via = Json::array();
    for (const MachineId machine : known.via) via.push_back(info[machine].name);
    relations.push_back({{"a", info[known.a].name},
                         {"b", info[known.b].name},
                         {"at_a_ns", known.at.ns},
                         {"offset_low_ns", std::isfinite(more.low) ? Json(known.offset.low_ns()) : Json()},
                         {"offset_high_ns", std::isfinite(more.high) ? Json(known.offset.high_ns()) : Json()},
                         {"width_ns", more.has_both() ? Json(more.width()) : Json()},
                         {"drift_low_ppm", ppm_json(known.drift.low)},
                         {"drift_high_ppm", ppm_json(known.drift.high)},
                         {"messages_from_a", known.messages_from_a},
                         {"messages_from_b", known.messages_from_b},
                         {"via", std::move(via)}});
  }
  for (const ClockStep& step : clocks.steps)
    steps.push_back({{"a", info[step.a].name},
                     {"b", info[step.b].name},
                     {"before_a_ns", step.before.ns},
                     {"jump_ns", step.jump_ns}});
  return {{"machines", std::move(machines)},
          {"relations", std::move(relations)},
          {"steps", std::move(steps)},
          {"warnings", clocks.warnings},
          {"ledger", ledger_json(ledger)}};
}

void print_clock_notes(const Clocks& clocks, const TraceInfo& info, std::ostream& out) {
  const auto names = [&](const ClockRelation& known) {
    return fmt::format("'{}' and '{}'", printable(info[known.a].name), printable(info[known.b].name));
  };
  for (const std::string& warning : clocks.warnings) out << "warning: " << printable(warning) << '\n';
  std::size_t unknown = 0, others = 0;
  const ClockRelation* widest = nullptr;
  for (const ClockRelation& known : clocks.relations) {
    if (known.messages_from_a + known.messages_from_b == 0) continue;
    if (known.offset.more.has_both()) {
      ++others;
      if (widest == nullptr || known.offset.more.width() > widest->offset.more.width()) widest = &known;
    } else if (++unknown <= kUnknownNamed) {
      out << "warning: the offset of the clocks of " << names(known)
          << " is unknown: no messages lead from one to the other and back, so times between them are guesses\n";
    }
  }
  if (unknown > kUnknownNamed)
    out << "warning: ... and of " << unknown - kUnknownNamed << " more pairs of machines (dpm clocks lists them)\n";
  if (widest == nullptr) return;
  out << "note: the offset of the clocks of " << names(*widest) << " is known within "
      << seconds_text(widest->offset.more.width() / kSecond)
      << (others > 1 ? ", those of others as well or better (dpm clocks lists them)\n" : "\n");
}

}  // namespace dpm::cli
