// Finds mapped, executable, unused memory of a process, where injected code stands for a moment. So nothing must be
// allocated in the process first.
//
// It is the end of the vdso's last page, which the kernel has filled with zeros; or else the end of the last page of a
// library's or the program's code, after the part that the program headers describe. When ptrace writes to such a page,
// the process gets a private copy; no file changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dpm {

// A line of /proc/PID/maps.
struct MemoryMapping {
  std::uint64_t begin = 0, end = 0;
  bool executable = false, shared = false;
  std::uint64_t file_offset = 0;
  std::string name;  // a path, or "[vdso]", "[stack]", ...
};
std::vector<MemoryMapping> parse_mappings(const std::string& maps);

// The address of `bytes` unused bytes, a multiple of sixteen; nothing if there is no room.
std::optional<std::uint64_t> find_code_room(std::uint32_t pid, std::size_t bytes);

// The two places that find_code_room() tries. The vdso takes 20 us, the files some hundred.
std::optional<std::uint64_t> room_in_vdso(std::uint32_t pid, std::size_t bytes);
std::optional<std::uint64_t> room_behind_code(std::uint32_t pid, const std::vector<MemoryMapping>& mappings,
                                              std::size_t bytes);

}  // namespace dpm
