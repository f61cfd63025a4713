#include "cli/commands/validate/claims_results.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "text/number_text.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

// Five digits, so that 99.997 % is not shown as 100 %.
std::string number_text(double value) { return significant(value, 5); }

std::string with_unit(const std::string& number, const std::string& unit) {
  return unit.empty() ? number : number + " " + unit;
}

std::optional<double> value_of(const Figures& figures, const std::string& name) {
  const auto found = figures.find(name);
  return found == figures.end() ? std::nullopt : std::optional(found->second);
}

Json value_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json goal_json(const std::optional<Goal>& goal) {
  if (!goal) return nullptr;
  return {{goal->is_most ? "at_most" : "at_least", goal->value}};
}

std::string sentence(Verdict verdict, std::size_t count) {
  const bool one = count == 1;
  switch (verdict) {
    case Verdict::not_judged:
      return one ? "is not judged" : "are not judged";
    case Verdict::holds:
      return one ? "holds" : "hold";
    case Verdict::no_reference:
      return one ? "has no reference" : "have no reference";
    case Verdict::misses_as_known:
      return one ? "misses its goal, as known" : "miss their goal, as known";
    case Verdict::skipped:
      return "skipped";
    case Verdict::worse_than_baseline:
      return one ? "is worse than its baseline" : "are worse than their baseline";
    case Verdict::misses_its_goal:
      return one ? "misses its goal" : "miss their goal";
    case Verdict::broken:
      return "broken";
  }
  return "";
}

// "CLAIM: text" for a claim's remarks.
std::string remarks_text(const Judgement& judgement) {
  std::string text;
  if (!judgement.reason.empty())
    text += judgement.claim.name + ": " + name_of(judgement.verdict) + ": " + judgement.reason + '\n';
  for (const auto& remark : judgement.result.remarks) text += judgement.claim.name + ": " + remark + '\n';
  if (!judgement.machine.empty()) text += judgement.claim.name + ": measured on " + judgement.machine + '\n';
  bool lacks_references = false;
  for (const auto& [figure, obtained, baseline, verdict] : judgement.figures) {
    lacks_references |= verdict == Verdict::no_reference;
    if (verdict == Verdict::misses_as_known)
      text += judgement.claim.name + ": " + figure.name + " misses its goal: " + figure.known_miss + '\n';
  }
  if (lacks_references)
    text += judgement.claim.name + ": some figures have no reference yet: 'dpm validate --accept " +
            judgement.claim.name + "' adds one\n";
  return text;
}

}  // namespace

std::string goal_text(const FigureClaim& figure) {
  if (!figure.goal) return "-";
  return with_unit((figure.goal->is_most ? "≤ " : "≥ ") + number_text(figure.goal->value), figure.unit);
}

std::string value_text(const std::optional<double>& value, const FigureClaim& figure) {
  return value ? with_unit(number_text(*value), figure.unit) : "-";
}

std::string claims_text(const std::vector<Judgement>& judgements, int width) {
  TextTable table({"claim", "figure", ">goal", ">obtained", ">baseline", "verdict"}, {}, 2);
  std::string remarks;
  for (const auto& judgement : judgements) {
    for (const auto& figure : judgement.figures)
      table.add_row({judgement.claim.name, figure.figure.name, goal_text(figure.figure),
                     value_text(figure.obtained, figure.figure), value_text(figure.baseline, figure.figure),
                     name_of(figure.verdict)});
    remarks += remarks_text(judgement);
  }
  return table.to_text(width) + (remarks.empty() ? "" : "\n" + printable_lines(remarks)) + "\n" +
         claims_count(judgements) + "\n";
}

std::string claims_count(const std::vector<Judgement>& judgements) {
  std::map<Verdict, std::size_t> counts;
  for (const auto& judgement : judgements) ++counts[judgement.verdict];
  std::string text;
  for (const auto& [verdict, count] : counts)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + sentence(verdict, count);
  return std::to_string(judgements.size()) + (judgements.size() == 1 ? " claim: " : " claims: ") + text;
}

Json claims_json(const std::vector<Judgement>& judgements) {
  Json rows = Json::array();
  for (const auto& judgement : judgements)
    for (const auto& figure : judgement.figures)
      rows.push_back({{"claim", judgement.claim.name},
                      {"figure", figure.figure.name},
                      {"unit", figure.figure.unit},
                      {"goal", goal_json(figure.figure.goal)},
                      {"obtained", value_json(figure.obtained)},
                      {"baseline", value_json(figure.baseline)},
                      {"machine", judgement.machine.empty() ? Json(nullptr) : Json(judgement.machine)},
                      {"verdict", name_of(figure.verdict)}});
  return rows;
}

std::string acceptance_text(const Claim& claim, const Baseline& before, const AcceptedRun& accepted, int width) {
  TextTable table({"figure", "form", ">old", ">new", ">goal"}, {}, 2);
  for (const auto& figure : claim.figures) {
    for (const bool is_quick : {false, true}) {
      const Figures& figures = accepted.of(is_quick);
      FigureClaim absolute = figure;
      absolute.relative_to.clear();
      absolute.is_judged = true;
      Claim alone = claim;
      alone.figures = {absolute};
      const References known = before.references(alone, is_quick);
      const auto old = known.find(figure.name);
      table.add_row({figure.name, is_quick ? "quick" : "full",
                     value_text(old == known.end() ? std::nullopt : std::optional(old->second.value), figure),
                     value_text(value_of(figures, figure.name), figure), goal_text(figure)});
    }
  }
  return table.to_text(width);
}

}  // namespace dpm::cli
