// Finds the programs that keepers hold, those that are metered without a keeper, and the program of a process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

// Sockets of meters (control_socket.hpp) have this name and the meter's process id.
inline constexpr const char* kMeterSockets = "meter-";

struct KeptProgram {
  std::uint32_t pid = 0;  // its first process, which may have ended
  std::string command;    // cut if very long
  bool privileges_given_up = false;
  bool exact_paths = false;
  std::uint32_t meter_pid = 0;   // 0: none, its calls pass
  std::uint32_t keeper_pid = 0;  // 0: it needs none, because none of its calls waits
  uid_t user = 0;                // the keeper's account
};

// Those that we may see: of our account; for root also of `process`'s account.
std::vector<KeptProgram> kept_programs(std::uint32_t process);
// Those of our account; for root those of every account.
std::vector<KeptProgram> all_kept_programs();

// The program whose listener that process holds.
std::optional<KeptProgram> find_program_by_listener(std::uint32_t process);

// The program to which a process belongs: the process holds its listener, or is the program's first process or a
// descendant. A process that has closed its descriptors and whose parents have ended cannot be found.
std::optional<KeptProgram> find_kept_program(std::uint32_t process);

// A connection to the keeper of a program, to send one KeeperRequest; empty if it has ended.
UniqueFd connect_to_keeper(const KeptProgram& program);

// "no process 7", or "process 7 (sh) is not metered; metered are: 100 (redis-server), ..."
Error not_kept(std::uint32_t process);

}  // namespace dpm
