#include "cli/validate/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/validate/figures_reader.hpp"
#include "scenarios/document/reading.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

// Version 1 has the figures of one run on any machine, version 2 a list of runs.
constexpr int kOneRun = 1, kManyRuns = 2;

const KeyTable kOneRunKeys = {"baseline", "a baseline", {"version", "full", "quick"}};
const KeyTable kManyRunsKeys = {"baseline", "a baseline", {"version", "runs"}};
const KeyTable kRunKeys = {"run", "a run", {"machine", "full", "quick"}};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double worst(const std::vector<double>& values, bool lower_is_better) {
  return lower_is_better ? *std::max_element(values.begin(), values.end())
                         : *std::min_element(values.begin(), values.end());
}

double largest_difference(const std::vector<double>& values, double from) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value - from));
  return largest;
}

void read_forms(ObjectReader& object, const Claim& claim, const Reading& reading, AcceptedRun& run) {
  if (const JsonNode* full = object.find("full")) run.full = read_figures(*full, "'full'", claim, reading);
  if (const JsonNode* quick = object.find("quick")) run.quick = read_figures(*quick, "'quick'", claim, reading);
}

Baseline read_one_run(const JsonNode& root, const Claim& claim, const Reading& reading) {
  Baseline baseline;
  AcceptedRun run;
  ObjectReader object(root, kOneRunKeys, reading);
  object.need("version");
  read_forms(object, claim, reading, run);
  baseline.add(std::move(run));
  return baseline;
}

Baseline read_many_runs(const JsonNode& root, const Claim& claim, const Reading& reading) {
  Baseline baseline;
  ObjectReader object(root, kManyRunsKeys, reading);
  object.need("version");
  const JsonNode* runs = object.need("runs");
  if (runs == nullptr || !reading.expect(*runs, JsonKind::list, "'runs'")) return baseline;
  for (const auto& item : runs->items) {
    AcceptedRun run;
    ObjectReader one(item, kRunKeys, reading);
    run.machine = one.needed_text("machine");
    read_forms(one, claim, reading, run);
    baseline.add(std::move(run));
  }
  return baseline;
}

Json values(const Claim& claim, const Figures& figures) {
  Json object = Json::object();
  for (const auto& name : claim.figure_names())
    if (const auto found = figures.find(name); found != figures.end()) object[name] = found->second;
  return object;
}

void add_forms(Json& document, const Claim& claim, const AcceptedRun& run) {
  for (const bool is_quick : {false, true})
    if (!run.of(is_quick).empty()) document[is_quick ? "quick" : "full"] = values(claim, run.of(is_quick));
}

}  // namespace

void Baseline::accept(const Claim& claim, AcceptedRun run) {
  if (!claim.is_timed) runs_.clear();
  const auto is_same = [&](const AcceptedRun& known) { return known.machine == run.machine; };
  if (std::count_if(runs_.begin(), runs_.end(), is_same) >= static_cast<std::ptrdiff_t>(kRunsMost))
    runs_.erase(std::find_if(runs_.begin(), runs_.end(), is_same));
  runs_.push_back(std::move(run));
}

References Baseline::references(const Claim& claim, bool is_quick) const {
  References references;
  for (const auto& figure : claim.figures) {
    if (!figure.is_judged) continue;
    std::vector<double> accepted;
    for (const auto& run : runs_)
      if (const auto value = comparable_value(figure, run.of(is_quick))) accepted.push_back(*value);
    if (accepted.empty()) continue;
    if (figure.relative_to.empty()) {
      references[figure.name] = {worst(accepted, figure.lower_is_better), 0};
    } else {
      const double middle = median(accepted);
      references[figure.name] = {middle, largest_difference(accepted, middle)};
    }
  }
  return references;
}

Result<Baseline> parse_baseline(std::string_view text, const std::string& path, const Claim& claim) {
  const auto root = parse_json(text, path);
  if (!root) return root.error();
  const int known = claim.is_timed ? kManyRuns : kOneRun;
  // Checked first, because another version may have a different structure.
  const JsonNode* version = root->find("version");
  if (version != nullptr && version->is(JsonKind::number) && version->number != known)
    return Error{path + ":" + std::to_string(version->line) + ": a baseline of version " +
                 std::to_string(static_cast<long long>(std::clamp(version->number, -1e9, 1e9))) + ", and " +
                 (claim.is_timed ? "one about real time has version " : "this dpm knows version ") +
                 std::to_string(known) + "; 'dpm validate --accept " + claim.name + "' measures it again"};
  Problems problems(path);
  const Environment no_names;
  const Reading reading{problems, no_names};
  Baseline baseline = claim.is_timed ? read_many_runs(*root, claim, reading) : read_one_run(*root, claim, reading);
  if (version != nullptr) reading.whole(*version, "'version'", {1, kManyRuns});
  if (!problems.empty()) return problems.error();
  return baseline;
}

std::string baseline_text(const Claim& claim, const Baseline& baseline) {
  Json document = {{"version", claim.is_timed ? kManyRuns : kOneRun}};
  if (!claim.is_timed && !baseline.runs().empty()) add_forms(document, claim, baseline.runs().back());
  if (claim.is_timed) {
    document["runs"] = Json::array();
    for (const auto& run : baseline.runs()) {
      Json one = {{"machine", run.machine}};
      add_forms(one, claim, run);
      document["runs"].push_back(std::move(one));
    }
  }
  return document.dump(2) + "\n";
}

Result<void> need_baseline(const Claim& claim, const Baseline& baseline, const std::string& path, bool is_quick) {
  if (claim.is_timed) return {};
  for (const auto& name : claim.figure_names())
    if (baseline.runs().empty() || !baseline.runs().back().of(is_quick).contains(name))
      return Error{path + ": no figure '" + name + "' in \"" + (is_quick ? "quick" : "full") +
                   "\"; 'dpm validate --accept " + claim.name + "' measures it"};
  return {};
}

}  // namespace dpm::cli
