// Where processes stand in the kernel's trees of cgroups.
//
//     /proc/PID/cgroup      0::/user.slice/run-7.scope                       (version 2)
//     /proc/self/mountinfo  ... / /sys/fs/cgroup ... - cgroup2 ...
//     folder                /sys/fs/cgroup/user.slice/run-7.scope
//
// Version 2 may be mounted anywhere, beside the trees of version 1: mountinfo tells where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace dpm {

// The cgroups that dpm makes for programs: this, the pid, and the namespace of pids. Containers have the same pids, and may
// share a tree of cgroups.
inline constexpr std::string_view kProgramCgroup = "dpm-";
std::string program_cgroup_name(std::uint32_t pid);

// The place of a process, from the text of its /proc/PID/cgroup. Empty: the kernel has no such tree, or the process is outside
// of the part that the reader sees.
std::string cgroup_in(const std::string& cgroups);
// The same in the tree of version 1 that freezes processes.
std::string freezer_in(const std::string& cgroups);

// The folder of a place, from the text of /proc/self/mountinfo. Empty: it is not mounted.
std::string cgroup_folder_in(const std::string& mounts, const std::string& cgroup);
std::string freezer_folder_in(const std::string& mounts, const std::string& cgroup);

// What tells people where a process runs, from the text of its /proc/PID/cgroup: its place without the cgroup that dpm has made
// for the program, and with 12 digits of a container's id: "system.slice/docker-0123456789ab.scope". Where version 2 is not
// used, a place in the trees of version 1. Empty: the root.
std::string cgroup_label(const std::string& cgroups);
std::string read_cgroup_label(std::uint32_t pid);

// The folder of a process's cgroup (version 2); empty if there is none.
std::string read_cgroup_folder(std::uint32_t pid);

// The folder of the whole tree (version 2), as far as this process sees it; empty if there is none.
std::string read_cgroup_root();

// Where a process is frozen, as text for people: the folder of its cgroup, which may be frozen by one above it. Empty: it is
// not frozen, or its cgroup cannot be seen. A frozen process does nothing until the cgroup is thawed.
std::string read_frozen_cgroup(std::uint32_t pid);

// A limit of this cgroup that a program in a cgroup below would not find: it applies, but its file is not there. Empty: none.
std::string find_hidden_limit(const std::string& folder);

// The folder of the calling process's cgroup, if the process may make cgroups in it and move its children there: the cgroup is
// delegated to its user, or the user is root, and has no hidden limit. Otherwise why not.
Result<std::string> find_delegated_cgroup();

// Makes the folder of a cgroup, without controllers, that can be frozen (Linux 5.2).
Result<void> make_cgroup(const std::string& folder);

}  // namespace dpm
