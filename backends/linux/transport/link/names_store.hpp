// The names that a collector has confirmed, for the collector that comes after it: on disk, because a meter that runs
// for long names ever more things and needs them again only if its collector dies. The file has no name, so that it is
// gone with the process. What the disk does not take stays in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "os/unique_fd.hpp"

namespace dpm {

class NamesStore {
 public:
  // The folder is made when it is first needed.
  explicit NamesStore(std::string folder) : folder_(std::move(folder)) {}

  void append(std::string text);
  // All texts in order; takes them out. What the disk does not give back is missing.
  std::vector<std::string> take_all();

 private:
  bool write(const std::string& text);

  std::string folder_;
  UniqueFd file_;
  std::uint64_t bytes_ = 0;
  std::vector<std::string> in_memory_;  // come after those in the file
};

}  // namespace dpm
