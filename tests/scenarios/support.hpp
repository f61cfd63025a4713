// What the scenario tests share: the source tree, and short ways to parse a scenario written in the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "scenarios/scenario_file.hpp"

namespace dpm::test {

inline std::filesystem::path source_folder() {
  const char* folder = std::getenv("DPM_SOURCE_DIR");
  return folder == nullptr ? "." : folder;
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline Result<ScenarioFile> parse(const std::string& text) {
  return parse_scenario(text, "test.json", shipped_programs());
}

inline Scenario scenario_of(const std::string& text, const Overrides& overrides = {}) {
  const auto file = parse(text);
  if (!file) throw std::runtime_error(file.error().what);
  const auto scenario = instantiate(*file, overrides);
  if (!scenario) throw std::runtime_error(scenario.error().what);
  return *scenario;
}

inline const ProcessDescription& process_of(const Scenario& scenario, const std::string& name) {
  for (const auto& process : scenario.processes)
    if (process.name == name) return process;
  throw std::runtime_error("no process " + name);
}

}  // namespace dpm::test
