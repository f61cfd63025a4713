// Which processes are sampled, and to which virtual process each belongs (S4 3.3, 4.3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "sampling/states/proc_text.hpp"

namespace dpm::sampling {

struct Selection {
  enum class Kind : std::uint8_t {
    processes,  // those of `pids`
    tree,       // those of `pids`, and all that they start
    terminals,  // all that have a terminal, or one of `terminals`, and their descendants without one; each terminal is a virtual process
    session,
    user,
    cgroup,
  };
  Kind kind = Kind::processes;
  std::vector<std::uint32_t> pids;
  // When each of them began, in ticks: later their numbers may be those of other processes. Empty: not known.
  std::vector<std::uint64_t> start_ticks;
  std::vector<std::uint32_t> terminals;  // as /proc/PID/stat has them; empty: all
  std::uint32_t number = 0;              // of the session, or of the user
  std::string cgroup_folder;             // "/sys/fs/cgroup/..."
  std::string text;                      // for people and files: "terminals", "pid 12,13"
};

// "terminals", "terminals pts/3,pts/4", "session", "session 12", "user postgres", "pid 12,13", "cgroup /system.slice/x": the words of --of. Refused
// with a reason if there is not such a process, session, user or cgroup, or if we may not look into it. ("trace OUT" is not
// known here.)
Result<Selection> read_selection(const std::vector<std::string>& words);

// The processes and what they start, as long as we may look into them.
Result<Selection> select_tree(std::vector<std::uint32_t> pids, std::string text);

// Every number in /proc, or those of the cgroup and the cgroups in it.
std::vector<std::uint32_t> candidates(const Selection& selection);

// A process of `candidates`. `is_member` answers for its parent.
bool is_selected(const Selection& selection, std::uint32_t pid, const StatLine& stat, bool parent_is_selected);

// Processes with the same number are one virtual process.
std::uint32_t virtual_process_of(const Selection& selection, const StatLine& stat);
// A job of the terminal's foreground: S4 3.3.
bool is_in_foreground(const StatLine& stat);

}  // namespace dpm::sampling
