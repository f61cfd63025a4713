// Finds the file that a command would run, as execvp(3) does, so that mistakes are reported early.
#pragma once

#include <string>

namespace dpm {

struct FoundProgram {
  std::string path;
  bool gains_privileges = false;  // by a setuid or setgid bit of another user or group, or file capabilities
  // If it cannot be run: why, and the exit status of a shell.
  std::string problem;
  int exit_status = 0;

  explicit operator bool() const { return problem.empty(); }
};

inline constexpr int kNotFound = 127;
inline constexpr int kNotExecutable = 126;

FoundProgram find_program(const std::string& name);

}  // namespace dpm
