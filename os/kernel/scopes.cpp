#include "os/kernel/scopes.hpp"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>

#include "os/kernel/cgroups.hpp"
#include "os/kernel/process_files.hpp"

namespace dpm {
namespace {

namespace fs = std::filesystem;

std::uint64_t number_of(const std::string& folder) {
  struct stat found = {};
  return ::stat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) ? found.st_ino : 0;
}

// The file system that the path is in; nothing if the path does not exist.
std::optional<decltype(statfs::f_type)> file_system_of(const std::string& path) {
  struct statfs found = {};
  if (::statfs(path.c_str(), &found) != 0) return std::nullopt;
  return found.f_type;
}

}  // namespace

Result<FoundCgroup> find_cgroup(const std::string& path) {
  const std::string root = read_cgroup_root();
  if (root.empty()) return Error{"no tree of cgroups (version 2) is mounted here"};
  for (const std::string& folder : {path, fmt::format("{}/{}", root, path)}) {
    const auto file_system = file_system_of(folder);
    const std::uint64_t number = number_of(folder);
    if (file_system == CGROUP2_SUPER_MAGIC && number != 0) return FoundCgroup{folder, number};
    if (file_system == CGROUP_SUPER_MAGIC)
      return Error{fmt::format("'{}' is a cgroup of version 1; one of version 2 is needed, below {}", path, root)};
  }
  if (file_system_of(path)) return Error{fmt::format("'{}' is not a cgroup: they are folders below {}", path, root)};
  return Error{
      fmt::format("cgroup '{}' does not exist below {} (/proc/PID/cgroup has the one of a process)", path, root)};
}

bool is_there(const FoundCgroup& cgroup) { return number_of(cgroup.folder) == cgroup.number; }

std::vector<std::uint32_t> read_members(const FoundCgroup& cgroup) {
  std::vector<std::uint32_t> pids;
  const auto add = [&pids](const fs::path& folder) {
    std::ifstream file(folder / "cgroup.procs");
    for (std::uint32_t pid = 0; file >> pid;)
      if (pid != 0) pids.push_back(pid);
  };
  add(cgroup.folder);
  std::error_code failed;
  fs::recursive_directory_iterator below(cgroup.folder, fs::directory_options::skip_permission_denied, failed);
  for (; !failed && below != fs::recursive_directory_iterator(); below.increment(failed))
    if (below->is_directory(failed)) add(below->path());
  std::sort(pids.begin(), pids.end());
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  return pids;
}

std::vector<std::uint32_t> read_all_processes() {
  std::vector<std::uint32_t> pids;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/proc", failed)) {
    const std::string name = entry.path().filename();
    std::uint32_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    if (!read_program_path(pid).empty()) pids.push_back(pid);
  }
  return pids;
}

}  // namespace dpm
