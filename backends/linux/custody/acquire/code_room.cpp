#include "backends/linux/custody/acquire/code_room.hpp"

#include <elf.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>

#include "os/kernel/tracee.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kAlignment = 16;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

template <typename T>
bool read_values(std::uint32_t pid, std::uint64_t address, std::span<T> values) {
  return read_memory(pid, address, std::as_writable_bytes(values)) == values.size_bytes();
}

// The address of the vdso, from the auxiliary vector.
std::optional<std::uint64_t> read_vdso_base(std::uint32_t pid) {
  const UniqueFd file(::open(("/proc/" + std::to_string(pid) + "/auxv").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<Elf64_auxv_t, 64> vector = {};
  if (!file || ::read(file.get(), vector.data(), sizeof vector) <= 0) return std::nullopt;
  for (const auto& entry : vector) {
    if (entry.a_type == AT_SYSINFO_EHDR) return entry.a_un.a_val;
  }
  return std::nullopt;
}

struct CodeSegment {
  std::uint64_t begin = 0, end = 0;
};

// The code of the file that is mapped at `base`, according to its program headers.
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

std::optional<std::uint64_t> room_in_vdso(std::uint32_t pid, std::size_t bytes) {
  const auto base = read_vdso_base(pid);
  Elf64_Ehdr header = {};
  if (!base || !read_values(pid, *base, std::span(&header, 1)) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return std::nullopt;
  // The section headers come last. The rest of the page must be zeros.
  const std::uint64_t used = header.e_shoff + std::uint64_t{header.e_shnum} * header.e_shentsize;
  std::vector<std::byte> rest(rounded_up(used, kPageBytes) - used);
  if (header.e_shnum == 0 || !read_values(pid, *base + used, std::span(rest))) return std::nullopt;
  if (!std::all_of(rest.begin(), rest.end(), [](std::byte byte) { return byte == std::byte{0}; })) return std::nullopt;
  const std::uint64_t address = rounded_up(*base + used, kAlignment);
  return address + bytes <= *base + used + rest.size() ? std::optional(address) : std::nullopt;
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
  if (const auto room = room_in_vdso(pid, bytes)) return room;
  std::ifstream file("/proc/" + std::to_string(pid) + "/maps");
  const std::string maps((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return room_behind_code(pid, parse_mappings(maps), bytes);
}

}  // namespace dpm
