// The machines on which this user's controllers have left something, as a file with a name a line: where `adopt` looks.
//
// It helps the memory and is never needed: what cannot be read is empty, what cannot be written is not remembered.
#pragma once

#include <string>
#include <vector>

namespace dpm::control {

class KnownMachines {
 public:
  // An empty path: remembers nothing.
  explicit KnownMachines(std::string path) : path_(std::move(path)) {}

  std::vector<std::string> read() const;
  void remember(const std::string& machine);
  void forget(const std::string& machine);

 private:
  void write(const std::vector<std::string>& machines) const;
  std::string path_;
};

}  // namespace dpm::control
