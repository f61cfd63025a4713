// How a controller reaches a machine: by a command whose standard input and output lead to the meterdaemon there,
// `dpm meterd --attach`. It grants no rights beyond those of the user's account on that machine.
//
//     ssh     ssh -T -o BatchMode=yes ... red 'dpm' meterd --attach        or the command in $DPM_SSH instead of "ssh"
//     srun    srun --nodelist=red --nodes=1 --ntasks=1 ... dpm meterd --attach --stay    inside a Slurm allocation
//     local   dpm meterd --attach --machine red       every name means this machine, and has a daemon of its own
//     a command with {machine}, which stands for the name:
//             docker exec -i {machine}                docker exec -i red dpm meterd --attach
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/client/dpm_copy.hpp"
#include "model/result.hpp"

namespace dpm {

struct Launcher {
  enum class Kind { ssh, srun, local, command };
  Kind kind = Kind::ssh;
  std::string dpm;              // the program on that machine; empty: the "dpm" in its PATH, for local this program
  std::string ssh = "ssh";      // its words, separated by blanks
  std::string command;          // likewise
  std::optional<DpmCopy> copy;  // instead of `dpm`: copied where it is not
};

// "ssh" (the command may be set by $DPM_SSH), "srun", "local", or a command with {machine}. Another word is refused with the
// nearest of these.
Result<Launcher> launcher_named(const std::string& kind);

// Refused: names that no machine can have, or that the launcher would take for an option.
Result<std::vector<std::string>> launcher_command(const Launcher& launcher, const std::string& machine);

}  // namespace dpm
