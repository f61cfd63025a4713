// Which processes hold which listener, seen from outside without changing anything. Processes of another account seem
// to have no descriptors.
#pragma once

#include <cstdint>
#include <vector>

namespace dpm {

std::vector<std::uint32_t> read_process_ids();

// The numbers of all its descriptors.
std::vector<int> read_descriptor_numbers(std::uint32_t pid);

// The descriptors of that process that are listeners of a filter. Costs 4 us for each descriptor it has open.
std::vector<int> read_listener_numbers(std::uint32_t pid);

// Whether both descriptors are one open file, as after fork or dup. Also false if the kernel does not tell (no kcmp).
bool is_same_file(std::uint32_t pid, int fd, std::uint32_t other_pid, int other_fd);

// Whether both processes hold one and the same listener.
bool share_listener(std::uint32_t pid, std::uint32_t other_pid);

}  // namespace dpm
