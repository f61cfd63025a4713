// Which file a command line would run, looked up as execvp(3) does: so that a mistake is told before anything is made.
#pragma once

#include <string>

namespace dpm {

struct FoundProgram {
  std::string path;
  bool gains_privileges = false;  // by a setuid or setgid bit that means somebody else, or file capabilities
  // If it cannot be run: why, and the exit status a shell would have.
  std::string problem;
  int exit_status = 0;

  explicit operator bool() const { return problem.empty(); }
};

inline constexpr int kNotFound = 127;
inline constexpr int kNotExecutable = 126;

FoundProgram find_program(const std::string& name);

}  // namespace dpm
