#include "control/controller/known_machines.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace dpm::control {

std::vector<std::string> KnownMachines::read() const {
  std::vector<std::string> machines;
  if (path_.empty()) return machines;
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && std::find(machines.begin(), machines.end(), line) == machines.end()) machines.push_back(line);
  return machines;
}

void KnownMachines::remember(const std::string& machine) {
  auto machines = read();
  if (std::find(machines.begin(), machines.end(), machine) != machines.end()) return;
  machines.push_back(machine);
  write(machines);
}

void KnownMachines::forget(const std::string& machine) {
  auto machines = read();
  if (std::erase(machines, machine) > 0) write(machines);
}

// Another controller may write at the same time: the file is replaced as a whole, and the last writer wins.
void KnownMachines::write(const std::vector<std::string>& machines) const {
  if (path_.empty()) return;
  const std::string beside = path_ + ".new";
  {
    std::ofstream file(beside);
    for (const auto& machine : machines) file << machine << '\n';
    if (!file.flush()) return;
  }
  std::error_code ignored;
  std::filesystem::rename(beside, path_, ignored);
}

}  // namespace dpm::control
