// The running processes that the user of `dpm script --pid` chose.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm::cli {

class RunningProcesses {
 public:
  // Refuses a process that is not there, and one whose events this account cannot see, with what is possible instead.
  static Result<RunningProcesses> find(const std::vector<std::uint32_t>& pids);

  std::set<std::uint32_t> pids() const;
  // The files of their programs, for finding functions there.
  std::vector<std::string> files() const;
  bool have_ended() const;
  // Why nothing can be seen of one that does not use libdpm, when probes were refused for this reason; or "".
  std::string refusal_without_probes(const std::string& reason) const;

 private:
  struct Process {
    std::uint32_t pid = 0;
    UniqueFd handle;
    std::string file;
    bool uses_library = false;
  };
  std::vector<Process> processes_;
};

}  // namespace dpm::cli
