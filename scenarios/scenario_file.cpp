#include "scenarios/scenario_file.hpp"

#include <algorithm>

#include "model/nearest_name.hpp"
#include "scenarios/loader/key_tables.hpp"
#include "scenarios/loader/study_reader.hpp"
#include "scenarios/loader/system_reader.hpp"

namespace dpm {
namespace {

constexpr std::size_t kMostChecked =
    1000000;  // processes made while checking sweeps; the rest is checked when it is run

struct FileAndSystem {
  ScenarioFile file;
  SystemTemplate system;
};

void read_parameters(ObjectReader& root, const Reading& reading, ScenarioFile& file) {
  const JsonNode* parameters = root.find("parameters");
  if (parameters == nullptr || !reading.expect(*parameters, JsonKind::object, "'parameters'")) return;
  for (const auto& member : parameters->members) {
    ScenarioParameter parameter;
    if (member.key == "index") reading.problems.add(member.line, "'index' is the number of a group's member");
    if (member.value.is(JsonKind::object)) {
      ObjectReader object(member.value, key_tables().parameter, reading);
      if (object.need("default") != nullptr) parameter.default_value = object.number("default", 0, kAnyNumber);
      parameter.meaning = object.text("meaning", "");
    } else {
      parameter.default_value = reading.number(member.value, "parameter '" + member.key + "'", kAnyNumber);
    }
    file.parameters[member.key] = parameter;
  }
}

// The file's own placement is the one it names, or none: then processes stand where their "machine" says.
void read_placement_names(ObjectReader& root, const Reading& reading, ScenarioFile& file) {
  if (const auto* placements = root.find("placements"))
    for (const auto& placement : placements->members) file.placement_names.push_back(placement.key);
  file.placement = root.text("placement", "");
  const auto& names = file.placement_names;
  if (!file.placement.empty() && std::find(names.begin(), names.end(), file.placement) == names.end())
    reading.problem(*root.find("placement"), "no placement '" + file.placement + "'" + hint(file.placement, names));
}

Result<void> check_overrides(const ScenarioFile& file, const Overrides& overrides) {
  std::vector<std::string> names;
  for (const auto& [name, parameter] : file.parameters) names.push_back(name);
  for (const auto& [name, value] : overrides.parameters) {
    if (file.parameters.count(name) == 0)
      return Error{file.path.string() + ": the scenario has no parameter '" + name + "'" + hint(name, names)};
    // Refused here, for every place of the file that uses it would complain of a number of its own.
    if (!in_range(value, kAnyNumber))
      return Error{file.path.string() + ": parameter '" + name + "' must be " + within_but_is(value, kAnyNumber)};
  }
  const auto& placements = file.placement_names;
  const bool known = std::find(placements.begin(), placements.end(), overrides.placement) != placements.end();
  if (!overrides.placement.empty() && !known)
    return Error{file.path.string() + ": the scenario has no placement '" + overrides.placement + "'" +
                 hint(overrides.placement, placements)};
  return {};
}

Result<FileAndSystem> read(const JsonNode& document, const std::filesystem::path& path, const ProgramRegistry& programs,
                           const Overrides& overrides) {
  Problems problems(path.string());
  Environment names;
  const Reading reading{problems, names};
  FileAndSystem result;
  ScenarioFile& file = result.file;
  file.path = path;
  {
    ObjectReader root(document, key_tables().scenario, reading);
    root.text("$schema", "");
    file.summary = root.text("summary", "");
    read_parameters(root, reading, file);
    file.seed = root.whole("seed", 1, kSeed);
    read_placement_names(root, reading, file);
    for (const auto& [name, parameter] : file.parameters) names.values[name] = parameter.default_value;
    for (const auto& [name, value] : overrides.parameters) names.values[name] = value;
    std::error_code ignored;  // a scenario in "." still knows its folder's name
    const auto home = std::filesystem::absolute(path, ignored).lexically_normal().parent_path().filename();
    const Surroundings around{path.parent_path(), home.string(), programs};
    SystemReader system(root, reading, around);
    const bool is_whole = system.read(overrides.placement.empty() ? file.placement : overrides.placement);
    file.filters = system.filters();
    if (is_whole) read_study(root, reading, system.process_names(), file);
    result.system = system.take();
    result.system.path = path;
    result.system.placement = file.placement;
    result.system.scenario.seed = file.seed;
    file.name = result.system.scenario.name;
  }
  if (!problems.empty()) return problems.error();
  return result;
}

// Everything the file says can be run is tried once, so that nothing is refused in the middle of a study.
class RunCheck {
 public:
  explicit RunCheck(const ScenarioFile& file) : file_(file) {}

  Result<void> placements() {
    for (const auto& placement : file_.placement_names) {
      const auto good = one(*file_.system, placement, "in placement '" + placement + "'");
      if (!good) return good;
    }
    return {};
  }

  Result<void> sweeps() {
    for (const auto& sweep : file_.sweeps) {
      for (const auto& axis : sweep.axes) {
        for (const double value : axis.values) {
          const auto good = all_of({.parameters = {{axis.parameter, value}}}, {sweep.placements.front()},
                                   "in sweep '" + sweep.name + "'");
          if (!good) return good;
        }
      }
    }
    return {};
  }

  Result<void> predictions() {
    for (const auto& matrix : file_.predictions) {
      const auto good =
          all_of({.parameters = matrix.parameters}, matrix.placements, "in prediction '" + matrix.name + "'");
      if (!good) return good;
    }
    return {};
  }

 private:
  // One reading for all `placements`.
  Result<void> all_of(Overrides overrides, const std::vector<std::string>& placements, const std::string& where) {
    if (checked_ > kMostChecked) return {};
    overrides.placement = placements.front();
    const auto system = read_system(file_, overrides);
    if (!system) return Error{system.error().what + " (" + where + ")"};
    for (const auto& placement : placements)
      if (auto good = one(**system, placement, where); !good) return good;
    return {};
  }

  Result<void> one(const SystemTemplate& system, const std::string& placement, const std::string& where) {
    if (checked_ > kMostChecked) return {};
    const auto scenario = place(system, placement);
    if (!scenario) return Error{scenario.error().what + " (" + where + ")"};
    checked_ += scenario->processes.size() + 1;
    return {};
  }

  const ScenarioFile& file_;
  std::size_t checked_ = 0;
};

Result<ScenarioFile> check(JsonNode document, const std::filesystem::path& path, const ProgramRegistry& programs) {
  auto result = read(document, path, programs, {});
  if (!result) return result.error();
  ScenarioFile file = std::move(result->file);
  file.document = std::make_shared<const JsonNode>(std::move(document));
  file.programs = std::make_shared<const ProgramRegistry>(programs);
  file.system = std::make_shared<const SystemTemplate>(std::move(result->system));
  RunCheck runs(file);
  if (auto good = runs.placements(); !good) return good.error();
  if (auto good = runs.sweeps(); !good) return good.error();
  if (auto good = runs.predictions(); !good) return good.error();
  return file;
}

// "user_12" is a member of "user".
bool is_member(const std::string& process, const std::string& group) {
  const std::size_t digits = group.size() + 1;
  return process.size() > digits && process.compare(0, group.size(), group) == 0 && process[group.size()] == '_' &&
         process.find_first_not_of("0123456789", digits) == std::string::npos;
}

}  // namespace

Result<ScenarioFile> load_scenario(const std::filesystem::path& path, const ProgramRegistry& programs) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  const auto file = is_folder ? path / "scenario.json" : path;
  auto document = load_json(file.string());
  if (!document) return document.error();
  return check(*std::move(document), file, programs);
}

Result<ScenarioFile> parse_scenario(std::string_view text, const std::filesystem::path& path,
                                    const ProgramRegistry& programs) {
  auto document = parse_json(text, path.string());
  if (!document) return document.error();
  return check(*std::move(document), path, programs);
}

Result<std::shared_ptr<const SystemTemplate>> read_system(const ScenarioFile& file, const Overrides& overrides) {
  DPM_CHECK(file.document != nullptr && file.programs != nullptr && file.system != nullptr);
  const auto accepted = check_overrides(file, overrides);
  if (!accepted) return accepted.error();
  if (overrides.parameters.empty()) return file.system;
  auto result = read(*file.document, file.path, *file.programs, overrides);
  if (!result) return result.error();
  return std::make_shared<const SystemTemplate>(std::move(result->system));
}

Result<Scenario> instantiate(const ScenarioFile& file, const Overrides& overrides) {
  const auto system = read_system(file, overrides);
  if (!system) return system.error();
  return place(**system, overrides.placement, overrides.seed);
}

Placement placement_of(const Scenario& scenario) {
  Placement placement{scenario.placement, {}};
  for (const auto& process : scenario.processes) placement.machine_of_process[process.name] = process.machine;
  return placement;
}

Result<std::vector<std::string>> members_of(const Scenario& scenario, const std::vector<std::string>& names) {
  std::vector<std::string> members;
  for (const auto& name : names) {
    const std::size_t before = members.size();
    for (const auto& process : scenario.processes)
      if (process.name == name || is_member(process.name, name)) members.push_back(process.name);
    if (members.size() > before) continue;
    std::vector<std::string> valid;
    for (const auto& process : scenario.processes) valid.push_back(process.name);
    return Error{"no process '" + name + "' in scenario '" + scenario.name + "'" + did_you_mean(name, valid)};
  }
  return members;
}

}  // namespace dpm
