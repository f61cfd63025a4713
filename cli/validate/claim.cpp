#include "cli/validate/claim.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/validate/figures_reader.hpp"
#include "model/nearest_name.hpp"
#include "scenarios/document/reading.hpp"

namespace dpm::cli {
namespace {

const KeyTable kClaimKeys = {"claim", "a claim", {"claim", "test", "figures"}};
const KeyTable kFigureKeys = {
    "figure", "a figure", {"what", "unit", "goal", "better", "noise", "quick", "relative_to", "judged", "known_miss"}};
const KeyTable kGoalKeys = {"goal", "a goal", {"at_most", "at_least"}};

std::optional<Goal> read_goal(const JsonNode& node, const Reading& reading) {
  if (node.is(JsonKind::null)) return std::nullopt;
  ObjectReader object(node, kGoalKeys, reading);
  const JsonNode* most = object.find("at_most");
  const JsonNode* least = object.find("at_least");
  if ((most == nullptr) == (least == nullptr)) {
    reading.problem(node, R"(a goal is {"at_most": NUMBER}, {"at_least": NUMBER} or null)");
    return std::nullopt;
  }
  return Goal{most != nullptr, reading.number(most != nullptr ? *most : *least, "a goal", kAnyFigure)};
}

FigureClaim read_figure(const JsonMember& member, const Reading& reading) {
  FigureClaim figure;
  figure.name = member.key;
  ObjectReader object(member.value, kFigureKeys, reading);
  figure.what = object.needed_text("what");
  if (const JsonNode* unit = object.need("unit"); unit != nullptr && reading.expect(*unit, JsonKind::text, "'unit'"))
    figure.unit = unit->text;  // may be empty: a count
  if (const JsonNode* goal = object.need("goal")) figure.goal = read_goal(*goal, reading);
  if (object.need("noise") != nullptr) figure.noise = object.number("noise", 0, {0, kAnyFigure.high});
  figure.in_quick = object.flag("quick", true);
  figure.relative_to = object.text("relative_to", "");
  figure.is_judged = object.flag("judged", true);
  figure.known_miss = object.text("known_miss", "");
  if (!figure.known_miss.empty() && !figure.goal)
    reading.problem(*member.value.find("known_miss"), "a figure without a goal misses none");
  if (!figure.is_judged && (figure.goal || !figure.relative_to.empty()))
    reading.problem(*member.value.find("judged"), "a figure that is not judged has no goal and no 'relative_to'");
  const std::string better = object.word("better", "", {"lower", "higher"});
  if (figure.goal) figure.lower_is_better = figure.goal->is_most;
  if (better.empty()) {
    if (!figure.goal && figure.is_judged)
      reading.problem(member.value, "a figure without a goal needs 'better': \"lower\" or \"higher\"");
  } else if (!figure.goal) {
    figure.lower_is_better = better == "lower";
  } else if (figure.lower_is_better != (better == "lower")) {
    reading.problem(*member.value.find("better"), "'better' says the opposite of the goal");
  }
  return figure;
}

// A figure that is relative is measured in every form in which the other one is.
void check_relations(const Claim& claim, const JsonNode& node, const Reading& reading) {
  for (const auto& figure : claim.figures) {
    if (figure.relative_to.empty()) continue;
    const auto other = std::find_if(claim.figures.begin(), claim.figures.end(),
                                    [&](const FigureClaim& one) { return one.name == figure.relative_to; });
    const JsonNode& place = *node.find(figure.name)->find("relative_to");
    if (other == claim.figures.end() || other->name == figure.name) {
      reading.problem(place, "no other figure '" + figure.relative_to + "'" +
                                 did_you_mean(figure.relative_to, claim.figure_names()));
    } else if (figure.in_quick && !other->in_quick) {
      reading.problem(place, "the quick form leaves out '" + figure.relative_to + "'");
    }
  }
}

}  // namespace

std::optional<double> comparable_value(const FigureClaim& figure, const Figures& figures) {
  const auto own = figures.find(figure.name);
  if (own == figures.end()) return std::nullopt;
  if (figure.relative_to.empty()) return own->second;
  const auto other = figures.find(figure.relative_to);
  if (other == figures.end() || !(other->second > 0)) return std::nullopt;
  return own->second / other->second;
}

std::vector<std::string> Claim::figure_names() const {
  std::vector<std::string> names;
  for (const auto& figure : figures) names.push_back(figure.name);
  return names;
}

Claim Claim::form(bool is_quick) const {
  Claim form = *this;
  if (!is_quick) return form;
  for (const auto& figure : figures)
    if (!figure.in_quick) form.left_out.push_back(figure.name);
  std::erase_if(form.figures, [](const FigureClaim& figure) { return !figure.in_quick; });
  return form;
}

Result<Claim> parse_claim(std::string_view text, const std::string& path) {
  const auto root = parse_json(text, path);
  if (!root) return root.error();
  Problems problems(path);
  const Environment no_names;
  const Reading reading{problems, no_names};
  Claim claim;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  claim.folder = folder.string();
  claim.name = folder.filename().string();
  {
    ObjectReader object(*root, kClaimKeys, reading);
    claim.statement = object.needed_text("claim");
    claim.is_timed = object.word("test", "judges", {"judges", "measures"}) == "measures";
    const JsonNode* figures = object.need("figures");
    if (figures != nullptr && reading.expect(*figures, JsonKind::object, "'figures'")) {
      for (const auto& member : figures->members) claim.figures.push_back(read_figure(member, reading));
      if (claim.figures.empty()) {
        reading.problem(*figures, "a claim needs a figure");
      } else if (claim.form(true).figures.empty()) {
        reading.problem(*figures, "the quick form of a claim needs a figure too: one without 'quick': false");
      }
      check_relations(claim, *figures, reading);
    }
  }
  if (!problems.empty()) return problems.error();
  return claim;
}

}  // namespace dpm::cli
