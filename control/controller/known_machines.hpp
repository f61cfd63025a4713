// The machines on which this user's controllers may have left processes: a file with a name on each line. `adopt` looks
// there. The file is a convenience: if it cannot be read, it counts as empty; failures to write it are ignored.
#pragma once

#include <string>
#include <vector>

namespace dpm::control {

class KnownMachines {
 public:
  // With an empty path it remembers nothing.
  explicit KnownMachines(std::string path) : path_(std::move(path)) {}

  std::vector<std::string> read() const;
  void remember(const std::string& machine);
  void forget(const std::string& machine);

 private:
  void write(const std::vector<std::string>& machines) const;
  std::string path_;
};

}  // namespace dpm::control
