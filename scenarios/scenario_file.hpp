// A scenario file: a system to study, and the study (docs/scenarios.md; scenario.schema.json).
//
// load_scenario() checks everything before anything runs: the base run, every placement and every value of every sweep.
// The system it has read is placed as often as runs are wanted (system_template.hpp); only other values of parameters make
// read_system() read it again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/calibration.hpp"
#include "model/placement.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"
#include "scenarios/program_registry.hpp"
#include "scenarios/system_template.hpp"

namespace dpm {

struct JsonNode;

// What the program of a filter is to load; without templates and rules it keeps everything. Its event descriptions are
// those of the simulator's own meters (filter/descriptions/dpm.desc).
struct FilterFiles {
  std::string name;
  std::string machine;
  std::filesystem::path templates;
  std::vector<std::string> rules;  // written in the scenario instead of `templates`
  std::vector<int> rule_lines;     // where each of them is written
};

struct ScenarioParameter {
  double default_value = 0;
  std::string meaning;
};

struct SweepAxis {
  std::string parameter;
  std::vector<double> values;
};

// The runs of a sweep are the product of its axes, placements and seeds.
struct Sweep {
  std::string name;
  std::vector<SweepAxis> axes;
  std::vector<std::string> placements;  // at least one
  std::vector<std::uint64_t> seeds;     // at least one
};

// The analyses a scenario may ask for. The build collects them from analysis/NAME/answer.
std::span<const std::string> analysis_names();

// Words of the command line, not yet read: --method, --order.
struct PredictionChoice {
  std::string method = "replay";
  std::string order = "auto";
};

struct AnalysisRequest {
  std::string kind;                    // one of analysis_names()
  std::string name;                    // where it stands in the results; the kind unless given
  std::vector<std::string> processes;  // processes and groups; empty: the whole computation (see members_of)
  bool external_time = false;
  std::vector<std::string> requestors,
      systems;  // causality: roles the trace does not show, as in --requestor, --system
  PredictionChoice prediction;
  std::vector<std::string> placements;  // prediction: for which; empty: all named ones
};

// Every placement traced and simulated, and predicted from the trace of every other (thesis figure 5.17).
struct PredictionMatrix {
  std::string name;
  std::vector<std::string> placements;
  std::vector<std::uint64_t> seeds;
  std::map<std::string, double> parameters;
  std::vector<std::string> processes;
  PredictionChoice prediction;
};

struct PublishedFigure {
  std::string label;
  std::string figure;    // "5.13"
  std::string quantity;  // JSON pointer into results.json
  double value = 0;
  double within = 0;  // largest |quantity - value| that agrees
};

// Which runs `dpm run` makes besides the base run: all of the file's, unless it chooses.
struct Study {
  std::vector<std::string> sweeps;
  std::vector<std::string> predictions;
};

struct ScenarioFile {
  std::filesystem::path path;
  std::string name;
  std::string summary;
  std::uint64_t seed = 1;
  std::string placement;                     // of the base run; "" when no placement is named
  std::vector<std::string> placement_names;  // in the order of the file
  std::map<std::string, ScenarioParameter> parameters;
  std::vector<FilterFiles> filters;
  std::vector<Sweep> sweeps;
  std::vector<AnalysisRequest> analyses;
  std::vector<PredictionMatrix> predictions;
  std::vector<PublishedFigure> published;
  Study study;

  std::shared_ptr<const SystemTemplate> system;  // with the file's own parameters
  // What read_system() reads with other ones.
  std::shared_ptr<const JsonNode> document;
  std::shared_ptr<const ProgramRegistry> programs;
};

struct Overrides {
  std::string placement;  // "" is the file's own
  std::optional<std::uint64_t> seed;
  std::map<std::string, double> parameters;
};

// All problems of the file, one on a line: "path:line: ...".
Result<ScenarioFile> load_scenario(const std::filesystem::path& path, const ProgramRegistry& programs);
Result<ScenarioFile> parse_scenario(std::string_view text, const std::filesystem::path& path,
                                    const ProgramRegistry& programs);

// The file's system with the parameters of `overrides`. Refuses a placement or parameter the file does not have, and values
// the file cannot be read with.
Result<std::shared_ptr<const SystemTemplate>> read_system(const ScenarioFile& file, const Overrides& overrides);

// The system of one run: read_system(), and place().
Result<Scenario> instantiate(const ScenarioFile& file, const Overrides& overrides = {});

// A delay model file ("delays": "my-machines.json"; dpm calibrate writes them, and what metering costs into them).
Result<DelayModel> load_delay_model(const std::filesystem::path& path);
Result<Calibration> load_calibration(const std::filesystem::path& path);

// Where a scenario's processes stand.
Placement placement_of(const Scenario& scenario);

// The names of processes that a list of processes and groups stands for ("user" is user_1, user_2, ...). Refuses
// unknown names.
Result<std::vector<std::string>> members_of(const Scenario& scenario, const std::vector<std::string>& names);

}  // namespace dpm
