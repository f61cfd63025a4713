#include "scenarios/program_registry.hpp"

#include "model/check.hpp"
#include "model/nearest_name.hpp"

namespace dpm {

void ProgramRegistry::add(const std::string& folder, std::vector<ProgramDescription> programs) {
  for (auto& program : programs) {
    std::string full_name = folder + "/" + program.name;
    const bool is_new = programs_.emplace(std::move(full_name), std::move(program)).second;
    DPM_CHECK(is_new);
  }
}

Result<const ProgramDescription*> ProgramRegistry::find(const std::string& name, const std::string& home) const {
  for (const auto& full_name : {name, home + "/" + name}) {
    const auto found = programs_.find(full_name);
    if (found != programs_.end()) return &found->second;
  }
  std::vector<std::string> full_names, short_names;
  const ProgramDescription* last = nullptr;
  for (const auto& [full_name, program] : programs_) {
    short_names.push_back(program.name);
    if (program.name != name) continue;
    full_names.push_back(full_name);
    last = &program;
  }
  if (full_names.size() == 1) return last;
  if (full_names.empty()) {
    std::string meant = did_you_mean(name, short_names);
    if (meant.empty()) meant = did_you_mean(name, names());
    return Error{"no program '" + name + "'" + meant};
  }
  return Error{"several scenarios have a program '" + name + "': write '" + full_names.front() + "' or '" +
               full_names.back() + "'"};
}

std::vector<std::string> ProgramRegistry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, program] : programs_) names.push_back(name);
  return names;
}

}  // namespace dpm
