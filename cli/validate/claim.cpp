#include "cli/validate/claim.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/validate/figures_reader.hpp"
#include "model/nearest_name.hpp"
#include "scenarios/document/reading.hpp"

namespace dpm::cli {
namespace {

constexpr int kBaselineVersion = 1;
constexpr double kMost = std::numeric_limits<double>::max();
constexpr Range kAnyNumber{-kMost, kMost};

const KeyTable kClaimKeys = {"claim", "a claim", {"claim", "test", "figures"}};
const KeyTable kFigureKeys = {"figure", "a figure", {"what", "unit", "goal", "better", "noise", "quick"}};
const KeyTable kGoalKeys = {"goal", "a goal", {"at_most", "at_least"}};
const KeyTable kBaselineKeys = {"baseline", "a baseline", {"version", "full", "quick"}};

std::optional<Goal> read_goal(const JsonNode& node, const Reading& reading) {
  if (node.is(JsonKind::null)) return std::nullopt;
  ObjectReader object(node, kGoalKeys, reading);
  const JsonNode* most = object.find("at_most");
  const JsonNode* least = object.find("at_least");
  if ((most == nullptr) == (least == nullptr)) {
    reading.problem(node, R"(a goal is {"at_most": NUMBER}, {"at_least": NUMBER} or null)");
    return std::nullopt;
  }
  return Goal{most != nullptr, reading.number(most != nullptr ? *most : *least, "a goal", kAnyNumber)};
}

FigureClaim read_figure(const JsonMember& member, const Reading& reading) {
  FigureClaim figure;
  figure.name = member.key;
  ObjectReader object(member.value, kFigureKeys, reading);
  figure.what = object.needed_text("what");
  if (const JsonNode* unit = object.need("unit"); unit != nullptr && reading.expect(*unit, JsonKind::text, "'unit'"))
    figure.unit = unit->text;  // may be empty: a count
  if (const JsonNode* goal = object.need("goal")) figure.goal = read_goal(*goal, reading);
  if (object.need("noise") != nullptr) figure.noise = object.number("noise", 0, {0, kMost});
  figure.in_quick = object.flag("quick", true);
  const std::string better = object.word("better", "", {"lower", "higher"});
  if (figure.goal) figure.lower_is_better = figure.goal->is_most;
  if (better.empty()) {
    if (!figure.goal) reading.problem(member.value, "a figure without a goal needs 'better': \"lower\" or \"higher\"");
  } else if (!figure.goal) {
    figure.lower_is_better = better == "lower";
  } else if (figure.lower_is_better != (better == "lower")) {
    reading.problem(*member.value.find("better"), "'better' says the opposite of the goal");
  }
  return figure;
}

}  // namespace

std::vector<std::string> Claim::figure_names() const {
  std::vector<std::string> names;
  for (const auto& figure : figures) names.push_back(figure.name);
  return names;
}

Claim Claim::form(bool is_quick) const {
  Claim form = *this;
  if (is_quick) std::erase_if(form.figures, [](const FigureClaim& figure) { return !figure.in_quick; });
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
    object.word("test", "judges", {"judges", "measures"});  // what it changes is in validation/CMakeLists.txt
    const JsonNode* figures = object.need("figures");
    if (figures != nullptr && reading.expect(*figures, JsonKind::object, "'figures'")) {
      for (const auto& member : figures->members) claim.figures.push_back(read_figure(member, reading));
      if (claim.figures.empty()) {
        reading.problem(*figures, "a claim needs a figure");
      } else if (claim.form(true).figures.empty()) {
        reading.problem(*figures, "the quick form of a claim needs a figure too: one without 'quick': false");
      }
    }
  }
  if (!problems.empty()) return problems.error();
  return claim;
}

Result<Baseline> parse_baseline(std::string_view text, const std::string& path, const Claim& claim) {
  const auto root = parse_json(text, path);
  if (!root) return root.error();
  // Checked first, because another version may have a different structure.
  const JsonNode* version = root->find("version");
  if (version != nullptr && version->is(JsonKind::number) && version->number != kBaselineVersion)
    return Error{path + ":" + std::to_string(version->line) + ": a baseline of version " +
                 std::to_string(static_cast<long long>(std::clamp(version->number, -1e9, 1e9))) +
                 ", and this dpm knows version " + std::to_string(kBaselineVersion) + "; 'dpm validate --accept " +
                 claim.name + "' measures it again"};
  Problems problems(path);
  const Environment no_names;
  const Reading reading{problems, no_names};
  Baseline baseline;
  {
    ObjectReader object(*root, kBaselineKeys, reading);
    if (const JsonNode* node = object.need("version")) reading.whole(*node, "'version'", {1, 1});
    if (const JsonNode* full = object.find("full")) baseline.full = read_figures(*full, "'full'", claim, reading);
    if (const JsonNode* quick = object.find("quick")) baseline.quick = read_figures(*quick, "'quick'", claim, reading);
  }
  if (!problems.empty()) return problems.error();
  return baseline;
}

std::string baseline_text(const Claim& claim, const Baseline& baseline) {
  using Json = nlohmann::ordered_json;
  const auto values = [&](const Figures& figures) {
    Json object = Json::object();
    for (const auto& name : claim.figure_names())
      if (const auto found = figures.find(name); found != figures.end()) object[name] = found->second;
    return object;
  };
  Json document = {{"version", kBaselineVersion}};
  if (!baseline.full.empty()) document["full"] = values(baseline.full);
  if (!baseline.quick.empty()) document["quick"] = values(baseline.quick);
  return document.dump(2) + "\n";
}

Result<void> need_baseline(const Claim& claim, const Figures& baseline, const std::string& path, bool is_quick) {
  for (const auto& name : claim.figure_names())
    if (!baseline.contains(name))
      return Error{path + ": no figure '" + name + "' in \"" + (is_quick ? "quick" : "full") +
                   "\"; 'dpm validate --accept " + claim.name + "' measures it"};
  return {};
}

}  // namespace dpm::cli
