// Memory of a process that can be executed, is mapped anyway, and is used by nobody: where injected code stands for a
// moment. So nothing has to be allocated in the process first, and no step is left in which it could be stranded.
//
// The end of the last page of the vdso, which the kernel has filled with zeros; or else the rest of the last page of a
// library's or the program's own code, behind what its program headers say it has. Written with ptrace, such a page
// becomes the process's own copy of it; no file changes.
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

// The first address of `bytes` bytes, a multiple of sixteen; nothing if there is no room.
std::optional<std::uint64_t> find_code_room(std::uint32_t pid, std::size_t bytes);

// Only there; what find_code_room() tries in turn. The vdso takes 20 us, the files some hundred.
std::optional<std::uint64_t> room_in_vdso(std::uint32_t pid, std::size_t bytes);
std::optional<std::uint64_t> room_behind_code(std::uint32_t pid, const std::vector<MemoryMapping>& mappings,
                                              std::size_t bytes);

}  // namespace dpm
