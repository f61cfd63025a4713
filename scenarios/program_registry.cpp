#include "scenarios/program_registry.hpp"

#include "model/check.hpp"

namespace dpm {

void ProgramRegistry::add(std::vector<ProgramDescription> programs) {
  for (auto& program : programs) {
    std::string name = program.name;
    const bool is_new = programs_.emplace(std::move(name), std::move(program)).second;
    DPM_CHECK(is_new);
  }
}

const ProgramDescription* ProgramRegistry::find(std::string_view name) const {
  const auto found = programs_.find(name);
  return found == programs_.end() ? nullptr : &found->second;
}

std::vector<std::string> ProgramRegistry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, program] : programs_) names.push_back(name);
  return names;
}

}  // namespace dpm
