// The cgroup of one program: "dpm-PID-NAMESPACE" below the cgroup of its supervisor, without controllers. The kernel freezes and kills
// everything in it at once, whatever parents, sessions and process groups the processes have. Supervisor and keeper are
// not in it.
//
//     run-7.scope          daemon, supervisors, keepers
//     ├── dpm-4711-4026531836      a program: process 4711 and what it has started
//     └── dpm-4720-4026531836
//
// All functions accept that the folder is gone: the kernel removes nothing, but other programs may.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/result.hpp"

namespace dpm {

class ProgramCgroup {
 public:
  // Makes the cgroup below the folder `parent`, and moves the process there, which has started no others yet.
  static Result<ProgramCgroup> make(const std::string& parent, std::uint32_t pid);
  // The one that was made for this program, which has not ended.
  static std::optional<ProgramCgroup> of(std::uint32_t pid);

  explicit ProgramCgroup(std::string folder) : folder_(std::move(folder)) {}
  const std::string& folder() const { return folder_; }

  // False: it cannot be frozen.
  bool freeze() const;
  void thaw() const;
  // Whether the kernel was told to freeze it, by us or by others. Some processes may not have noticed yet.
  bool is_frozen() const;
  // Also what the program creates meanwhile.
  void kill() const;

  // Those in it and in cgroups that the program has made below.
  std::vector<std::uint32_t> processes() const;
  // Removes it if there are no processes in it.
  bool remove() const;
  // Removes it. What is left in it goes on in the cgroup above.
  void dissolve() const;

 private:
  std::string folder_;
};

// Removes the empty cgroups of programs that have ended, below the folder.
void remove_old_cgroups(const std::string& parent);
// Removes the cgroup of one program that has ended, wherever below the folder it is: another daemon may have made it elsewhere.
void remove_old_cgroup(const std::string& root, std::uint32_t pid);

}  // namespace dpm
