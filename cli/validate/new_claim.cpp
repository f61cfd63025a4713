#include "cli/validate/new_claim.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/validate/claim_template.hpp"
#include "os/new_file.hpp"
#include "scenarios/document/json_node.hpp"
#include "trace/files.hpp"

namespace dpm::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// What a kind of claim states, measures and promises at first. The user changes all of it.
struct Draft {
  Json system;
  std::string statement, method;
  bool is_timed = false;
  Json figures;
};

Json figure(const char* what, const char* unit, Json goal, double noise) {
  return {{"what", what}, {"unit", unit}, {"goal", std::move(goal)}, {"noise", noise}};
}

Json compared(const char* what, const char* unit, const char* better, double noise) {
  Json json = figure(what, unit, nullptr, noise);
  json["better"] = better;
  return json;
}

Json at_most(double value) { return {{"at_most", value}}; }

// Names of the user's files are kept as they are seen from the claim's folder, so that the tree can be cloned elsewhere.
std::string seen_from(const fs::path& folder, const std::string& path) {
  return fs::relative(fs::absolute(path), fs::absolute(folder)).string();
}

Result<std::vector<std::string>> placements_of(const std::string& path) {
  const auto text = read_text_file(path, kLongestJson);
  if (!text) return text.error();
  const auto scenario = parse_json(*text, path);
  if (!scenario) return scenario.error();
  std::vector<std::string> names;
  if (const JsonNode* placements = scenario->find("placements"); placements != nullptr)
    for (const auto& placement : placements->members) names.push_back(placement.key);
  if (names.size() < 2)
    return Error{
        path + " names fewer than two placements: each is predicted from the others ('placements', docs/scenarios.md)"};
  return names;
}

Result<Draft> draft_of_scenario(const NewClaim& claim, const fs::path& folder) {
  const auto placements = placements_of(claim.scenario);
  if (!placements) return placements.error();
  const Json system = {{"kind", "scenario"},
                       {"scenario", seen_from(folder, claim.scenario)},
                       {"placements", *placements},
                       {"seeds", {1, 2, 3}}};
  return Draft{
      system,
      "P of " + claim.name + " is predicted for each placement from a trace of each other one",
      "Each placement is simulated, and predicted from the trace of each other one (`dpm run`, `predictions`).",
      false,
      {{"mean_error", figure("mean error of predicted P", "%", at_most(2), 0.01)},
       {"worst_error", figure("largest error of predicted P", "%", at_most(10), 0.01)},
       {"mean_elapsed_error", compared("mean error of predicted elapsed time", "%", "lower", 0.01)}}};
}

Result<Draft> draft_of_trace(const NewClaim& claim, const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(claim.trace, ignored)) return Error{"there is no trace " + claim.trace};
  return Draft{{{"kind", "trace"}, {"trace", seen_from(folder, claim.trace)}},
               "Of the recorded run of " + claim.name + ", P and elapsed time are predicted as they were",
               "`dpm predict` replays the trace on the machines that it was recorded on.",
               false,
               {{"identity_error", figure("error of the replay on the recorded placement", "%", at_most(0.1), 0.001)},
                {"predicted_P", compared("P as replayed", "", "higher", 0.001)},
                {"predicted_elapsed_s", compared("elapsed time as replayed", "s", "lower", 0.001)}}};
}

Result<Draft> draft_of_command(const NewClaim& claim, const fs::path& folder) {
  if (claim.cpus.size() != 2 || claim.cpus[0] == claim.cpus[1])
    return Error{"a command is predicted for one set of CPUs from another: name two, such as --cpus 0 --cpus 0,1"};
  for (const auto& cpus : claim.cpus)
    if (cpus.empty() || cpus.find_first_not_of("0123456789,-") != std::string::npos)
      return Error{"'" + cpus + "' names no CPUs, such as 0 or 0,2-4"};
  Json system = {{"kind", "command"},
                 {"command", claim.command},
                 {"folder", seen_from(folder, ".")},
                 {"cpus", claim.cpus},
                 {"repeats", 9}};
  return Draft{
      std::move(system),
      "How much faster " + claim.name + " is on other CPUs is predicted from a metered run",
      "The command is metered on each set of CPUs, predicted for both (`dpm predict --cores`), and timed on both "
      "without DPM.",
      true,
      {{"speedup_error", figure("error of the predicted ratio of the two elapsed times, the larger of both directions",
                                "%", at_most(25), 10)},
       {"elapsed_error",
        compared("largest error of a predicted elapsed time, with the cost of metering in it", "%", "lower", 15)},
       {"unsteadiness",
        {{"what", "largest difference of a run's elapsed time from the median"},
         {"unit", "%"},
         {"goal", nullptr},
         {"noise", 0},
         {"judged", false}}}}};
}

Result<Draft> draft_of(const NewClaim& claim, const fs::path& folder) {
  if (!claim.scenario.empty()) return draft_of_scenario(claim, folder);
  if (!claim.trace.empty()) return draft_of_trace(claim, folder);
  return draft_of_command(claim, folder);
}

std::string readme_of(const NewClaim& claim, const Draft& draft) {
  const std::string claims = " --claims " + claim.claims;
  return "# " + claim.name + "\n\n" + draft.statement + ".\n\n## Method\n\n" + draft.method +
         " `system.json` says what is measured,\n`claim.json` has the goals; change both to what your system "
         "needs.\n\n## Repeating it\n\n    dpm validate" +
         claims + " " + claim.name + "\n    dpm validate" + claims + " --accept " + claim.name +
         "       make what is measured now the baseline\n    dpm validate" + claims + " " + claim.name +
         " --plant predictions    see that it can fail\n";
}

}  // namespace

Result<std::string> write_new_claim(const NewClaim& claim) {
  if (claim.name.empty() ||
      claim.name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") !=
          std::string::npos)
    return Error{"'" + claim.name + "' is not a name of a claim: letters, digits, - and _"};
  const fs::path folder = fs::path(claim.claims) / claim.name;
  std::error_code ignored;
  if (fs::exists(folder, ignored)) return Error{folder.string() + " exists already: nothing is overwritten"};
  auto draft = draft_of(claim, folder);
  if (!draft) return draft.error();
  Json document = {{"claim", draft->statement}};
  if (draft->is_timed) document["test"] = "measures";
  document["figures"] = draft->figures;
  const std::vector<std::pair<std::string, std::string>> files = {{"claim.json", document.dump(2) + "\n"},
                                                                  {"system.json", draft->system.dump(2) + "\n"},
                                                                  {"README.md", readme_of(claim, *draft)},
                                                                  {"run.py", kClaimTemplate}};
  for (const auto& [name, text] : files)
    if (auto done = write_new_file((folder / name).string(), text); !done) return done.error();
  fs::permissions(folder / "run.py", fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, ignored);
  return folder.string();
}

}  // namespace dpm::cli
