// The folder in which the programs of this account that use the library have their files (libdpm/region_file.hpp). One
// monitor at a time looks at it: the programs ask whether its lock is held.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "backends/instrumented/instrumented_program.hpp"
#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class ProgramFolder {
 public:
  static Result<ProgramFolder> take();

  struct Found {
    std::string file_name;
    InstrumentedProgram program;
  };
  // Readable when a program came or declared something. take_new() makes it quiet again.
  int descriptor() const { return bell_.get(); }

  // Programs that were not there before, in the order in which they were started; and why others cannot be looked at.
  std::vector<Found> take_new(std::vector<std::string>& complaints);
  void remove(const std::string& file_name) const;
  const std::string& path() const { return path_; }

 private:
  ProgramFolder() = default;

  std::string path_;
  UniqueFd folder_, watcher_, bell_;
  std::set<std::string> known_;
  bool is_to_be_listed_ = true;
};

}  // namespace dpm
