// Which sockets and pipes some processes have open, as their folders /proc/PID/fd list them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <unordered_set>
#include <utility>

namespace dpm {

struct OpenFiles {
  std::unordered_set<std::uint64_t> sockets;                      // by inode
  std::unordered_set<std::uint64_t> cookies;                      // sockets known by cookie only
  std::unordered_set<std::uint64_t> pipes;                        // by inode
  std::set<std::pair<std::uint64_t, std::uint64_t>> named_pipes;  // by device and inode
  std::size_t descriptors = 0;                                    // how many were looked at
  bool complete = true;                                           // false: a process could not be looked at
};

// Adds what the process has open. False if looking is not permitted; a process that has ended has nothing open. Costs
// 4 us for each descriptor, and never waits for a file server.
bool add_open_files(std::uint32_t pid, OpenFiles& open);

}  // namespace dpm
