#include "backends/linux/acquire/code_room.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>

#include "backends/linux/kernel/tracee.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kAlignment = 16;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

template <typename T>
bool read_values(std::uint32_t pid, std::uint64_t address, std::span<T> values) {
  return read_memory(pid, address, std::as_writable_bytes(values)) == values.size_bytes();
}

struct CodeSegment {
  std::uint64_t begin = 0, end = 0;
};

// The code of the file mapped from its beginning at `base`, as its own program headers describe it.
std::optional<CodeSegment> read_code_segment(std::uint32_t pid, std::uint64_t base) {
  Elf64_Ehdr header = {};
  if (!read_values(pid, base, std::span(&header, 1)) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_phentsize != sizeof(Elf64_Phdr)) {
    return std::nullopt;
  }
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!read_values(pid, base + header.e_phoff, std::span(segments))) return std::nullopt;
  const auto first = std::find_if(segments.begin(), segments.end(), [](const auto& s) { return s.p_type == PT_LOAD; });
  const auto code = std::find_if(segments.begin(), segments.end(),
                                 [](const auto& s) { return s.p_type == PT_LOAD && (s.p_flags & PF_X) != 0; });
  if (code == segments.end() || (code->p_flags & PF_W) != 0) return std::nullopt;
  const std::uint64_t shift = base - first->p_vaddr / kPageBytes * kPageBytes;
  return CodeSegment{code->p_vaddr + shift, code->p_vaddr + shift + code->p_memsz};
}

}  // namespace

std::vector<MemoryMapping> parse_mappings(const std::string& maps) {
  // "7f1200000000-7f1200002000 r-xp 00001000 08:01 1234    /usr/lib/libc.so"
  std::vector<MemoryMapping> mappings;
  std::istringstream lines(maps);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    MemoryMapping mapping;
    char dash = 0;
    std::string rights, device, inode;
    words >> std::hex >> mapping.begin >> dash >> mapping.end >> rights >> mapping.file_offset >> device >> inode;
    if (!words || rights.size() != 4) continue;
    mapping.executable = rights[2] == 'x';
    mapping.shared = rights[3] == 's';
    std::getline(words >> std::ws, mapping.name);
    mappings.push_back(mapping);
  }
  return mappings;
}

std::optional<std::uint64_t> room_in_vdso(std::uint32_t pid, const std::vector<MemoryMapping>& mappings,
                                          std::size_t bytes) {
  for (const auto& mapping : mappings) {
    if (mapping.name != "[vdso]") continue;
    // One unit more, so that a last table that ends with zeros keeps them.
    const std::uint64_t wanted = rounded_up(bytes, kAlignment) + kAlignment;
    if (mapping.end - mapping.begin <= wanted) continue;
    std::vector<std::byte> rest(wanted);
    if (!read_values(pid, mapping.end - wanted, std::span(rest))) continue;
    if (std::all_of(rest.begin(), rest.end(), [](std::byte byte) { return byte == std::byte{0}; }))
      return mapping.end - wanted + kAlignment;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> room_behind_code(std::uint32_t pid, const std::vector<MemoryMapping>& mappings,
                                              std::size_t bytes) {
  for (const auto& file : mappings) {
    if (file.name.empty() || file.name.front() != '/' || file.file_offset != 0 || file.shared) continue;
    const auto segment = read_code_segment(pid, file.begin);
    if (!segment) continue;
    const std::uint64_t address = rounded_up(segment->end, kAlignment);
    for (const auto& code : mappings) {
      const bool holds_end = code.begin < segment->end && segment->end <= code.end && segment->begin < code.end;
      if (code.name != file.name || !code.executable || code.shared || !holds_end) continue;
      if (code.end == rounded_up(segment->end, kPageBytes) && address + bytes <= code.end) return address;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> find_code_room(std::uint32_t pid, std::size_t bytes) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/maps");
  const std::string maps((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto mappings = parse_mappings(maps);
  if (const auto room = room_in_vdso(pid, mappings, bytes)) return room;
  return room_behind_code(pid, mappings, bytes);
}

}  // namespace dpm
