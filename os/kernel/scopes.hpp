// Which processes are in a cgroup, or on this machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.hpp"

namespace dpm {

// A cgroup of version 2.
struct FoundCgroup {
  std::string folder;
  std::uint64_t number = 0;  // never given to another cgroup while the machine runs
};
// `path` is a folder, or a place in the tree as /proc/PID/cgroup and systemd have it: "/system.slice/redis.service". Fails with
// what is there instead.
Result<FoundCgroup> find_cgroup(const std::string& path);
bool is_there(const FoundCgroup& cgroup);

// Of the cgroup and of those below it; without those that this process cannot see. Costs a file for each cgroup.
std::vector<std::uint32_t> read_members(const FoundCgroup& cgroup);
// Without threads of the kernel and processes whose program this account may not see. Costs a link of /proc for each.
std::vector<std::uint32_t> read_all_processes();

}  // namespace dpm
