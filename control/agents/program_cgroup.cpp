#include "control/agents/program_cgroup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "os/kernel/cgroups.hpp"
#include "os/kernel/process_files.hpp"
#include "os/unique_fd.hpp"
#include "os/whole_io.hpp"

namespace dpm {
namespace {

namespace fs = std::filesystem;

bool write_file(const std::string& path, const std::string& text) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  return file && write_all(file.get(), text);
}

std::vector<std::string> folders_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code unknown;
    if (at->is_directory(unknown) && !at->is_symlink(unknown)) found.push_back(at->path());
  }
  return found;
}

void add_processes(const std::string& folder, std::vector<std::uint32_t>& pids) {
  std::ifstream file(folder + "/cgroup.procs");
  for (std::uint32_t pid = 0; file >> pid;) pids.push_back(pid);
  for (const auto& below : folders_in(folder)) add_processes(below, pids);
}

// The program may have made cgroups below its own.
bool remove_folders(const std::string& folder) {
  for (const auto& below : folders_in(folder)) remove_folders(below);
  return ::rmdir(folder.c_str()) == 0;
}

bool is_running(std::uint32_t pid) {
  const auto status = read_status(pid);
  return status && status->state != 'Z';
}

}  // namespace

Result<ProgramCgroup> ProgramCgroup::make(const std::string& parent, std::uint32_t pid) {
  const ProgramCgroup made(parent + "/" + program_cgroup_name(pid));
  made.remove();  // of an earlier process with this pid
  if (auto done = make_cgroup(made.folder()); !done) return done.error();
  if (write_file(made.folder() + "/cgroup.procs", std::to_string(pid))) return made;
  const Error failed = Error::from_errno(fmt::format("move process {} to {}", pid, made.folder()));
  made.remove();
  return failed;
}

std::optional<ProgramCgroup> ProgramCgroup::of(std::uint32_t pid) {
  const std::string folder = read_cgroup_folder(pid) + "/", own = "/" + program_cgroup_name(pid) + "/";
  const auto at = folder.find(own);
  if (at == std::string::npos) return std::nullopt;
  return ProgramCgroup(folder.substr(0, at + own.size() - 1));
}

bool ProgramCgroup::freeze() const { return write_file(folder_ + "/cgroup.freeze", "1"); }

void ProgramCgroup::thaw() const { write_file(folder_ + "/cgroup.freeze", "0"); }

bool ProgramCgroup::is_frozen() const {
  std::ifstream file(folder_ + "/cgroup.freeze");
  int value = 0;
  return file >> value && value == 1;
}

void ProgramCgroup::kill() const {
  if (write_file(folder_ + "/cgroup.kill", "1")) return;
  freeze();  // before Linux 5.14: what is frozen creates no others, and can be killed
  for (const auto pid : processes()) ::kill(static_cast<pid_t>(pid), SIGKILL);
}

std::vector<std::uint32_t> ProgramCgroup::processes() const {
  std::vector<std::uint32_t> pids;
  add_processes(folder_, pids);
  return pids;
}

bool ProgramCgroup::remove() const { return remove_folders(folder_); }

void ProgramCgroup::dissolve() const {
  constexpr int kAttemptsMax = 100;  // what is moved may have created others
  const std::string above = fs::path(folder_).parent_path();
  for (int attempt = 0; attempt < kAttemptsMax && !remove(); ++attempt) {
    for (const auto pid : processes()) write_file(above + "/cgroup.procs", std::to_string(pid));
  }
}

void remove_old_cgroups(const std::string& parent) {
  for (const auto& folder : folders_in(parent)) {
    const std::string name = fs::path(folder).filename();
    if (!name.starts_with(kProgramCgroup)) continue;
    std::uint32_t pid = 0;
    const char* end = name.data() + name.size();
    const auto problem = std::from_chars(name.data() + kProgramCgroup.size(), end, pid).ec;
    // One that was just made is empty until its program is moved.
    if (problem == std::errc() && name == program_cgroup_name(pid) && !is_running(pid)) ProgramCgroup(folder).remove();
  }
}

void remove_old_cgroup(const std::string& root, std::uint32_t pid) {
  const std::string name = program_cgroup_name(pid);
  for (const auto& folder : folders_in(root)) {
    if (fs::path(folder).filename() == name) {
      ProgramCgroup(folder).remove();
    } else {
      remove_old_cgroup(folder, pid);
    }
  }
}

}  // namespace dpm
