#include "os/kernel/bypass_survey.hpp"

#include <dirent.h>
#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <climits>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string_view>

namespace dpm {
namespace {

bool has_ring_among(const std::string& process_folder, std::size_t most) {
  const std::string folder = process_folder + "/fd";
  DIR* descriptors = ::opendir(folder.c_str());
  if (descriptors == nullptr) return false;
  bool found = false;
  for (std::size_t looks = 0; looks < most && !found; ++looks) {
    const dirent* entry = ::readdir(descriptors);
    if (entry == nullptr) break;
    char target[PATH_MAX];
    const ssize_t length = ::readlink(fmt::format("{}/{}", folder, entry->d_name).c_str(), target, sizeof target);
    if (length > 0 && std::string_view(target, static_cast<std::size_t>(length)) == "anon_inode:[io_uring]")
      found = true;
  }
  ::closedir(descriptors);
  return found;
}

// "7f1c2000-7f1c3000 rw-s 00000000 00:01 4096   /dev/zero (deleted)"
std::vector<SharedMemory> shared_mappings(const std::string& process_folder) {
  std::vector<SharedMemory> shared;
  std::ifstream maps(process_folder + "/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    std::string range, permissions, offset, device, inode, name;
    fields >> range >> permissions >> offset >> device >> inode >> std::ws;
    std::getline(fields, name);
    if (permissions.size() < 4 || permissions[1] != 'w' || permissions[3] != 's' || inode == "0") continue;
    if (name.starts_with("anon_inode:")) continue;
    if (!shared.empty() && shared.back().device_and_inode == device + " " + inode) continue;
    shared.push_back({device + " " + inode, name});
  }
  return shared;
}

}  // namespace

ProgramKind program_kind(std::uint32_t pid) {
  std::ifstream program(fmt::format("/proc/{}/exe", pid), std::ios::binary);
  char identification[EI_NIDENT] = "";
  if (!program.read(identification, sizeof identification)) return ProgramKind::unknown;
  return identification[EI_CLASS] == ELFCLASS64 ? ProgramKind::native : ProgramKind::not_native;
}

bool has_low_ring(std::uint32_t pid) {
  constexpr std::size_t kLow = 32;
  return has_ring_among(fmt::format("/proc/{}", pid), kLow);
}

OpenBypasses survey_bypasses(std::uint32_t pid) {
  const std::string folder = fmt::format("/proc/{}", pid);
  return {has_ring_among(folder, SIZE_MAX), program_kind(pid) != ProgramKind::not_native, shared_mappings(folder)};
}

}  // namespace dpm
