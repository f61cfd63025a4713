// Confirmed names, for another collector. They are on disk because they grow without bound in a long run, and are needed
// only if the collector dies. The file has no name, so that it vanishes with the process. Names that the disk does not
// take stay in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "os/unique_fd.hpp"

namespace dpm {

class NamesStore {
 public:
  // The folder is made at its first use.
  explicit NamesStore(std::string folder) : folder_(std::move(folder)) {}

  void append(std::string text);
  // Removes and returns all texts in order, without those that the disk does not return.
  std::vector<std::string> take_all();

 private:
  bool write(const std::string& text);

  std::string folder_;
  UniqueFd file_;
  std::uint64_t bytes_ = 0;
  std::vector<std::string> in_memory_;  // after those in the file
};

}  // namespace dpm
