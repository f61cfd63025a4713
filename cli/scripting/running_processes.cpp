#include "cli/scripting/running_processes.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "backends/linux/probes/program_files.hpp"
#include "backends/linux/probes/program_probes.hpp"
#include "os/process_handle.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

std::string user_name(uid_t user) {
  const passwd* const entry = ::getpwuid(user);
  return entry == nullptr ? fmt::format("user id {}", user) : entry->pw_name;
}

}  // namespace

Result<RunningProcesses> RunningProcesses::find(const std::vector<std::uint32_t>& pids) {
  RunningProcesses chosen;
  for (const std::uint32_t pid : pids) {
    Process process{pid, open_process(pid)};
    struct stat status = {};
    if (!process.handle || ::stat(fmt::format("/proc/{}", pid).c_str(), &status) != 0)
      return Error{fmt::format("there is no process {}", pid)};
    if (::geteuid() != 0 && status.st_uid != ::geteuid())
      return Error{fmt::format("process {} belongs to {}, and dpm runs as {}: run dpm as that account, or as root", pid,
                               user_name(status.st_uid), user_name(::geteuid()))};
    const auto files = mapped_files(pid);
    if (files.empty()) return Error{fmt::format("process {} has no program: it has ended, or is of the kernel", pid)};
    process.file = files.front();
    process.uses_library = ProgramProbes(files).uses_library();
    if (process.uses_library && status.st_uid != ::geteuid())
      return Error{fmt::format(
          "process {} uses libdpm, whose events only its own account can see: run dpm as {} (setpriv, su or sudo -u)",
          pid, user_name(status.st_uid))};
    chosen.processes_.push_back(std::move(process));
  }
  return chosen;
}

std::set<std::uint32_t> RunningProcesses::pids() const {
  std::set<std::uint32_t> pids;
  for (const Process& process : processes_) pids.insert(process.pid);
  return pids;
}

std::vector<std::string> RunningProcesses::files() const {
  std::vector<std::string> files;
  for (const Process& process : processes_) files.push_back(process.file);
  return files;
}

bool RunningProcesses::have_ended() const {
  return std::ranges::all_of(processes_, [](const Process& process) { return has_ended(process.handle.get()); });
}

std::string RunningProcesses::refusal_without_probes(const std::string& reason) const {
  if (reason.empty()) return "";
  for (const Process& process : processes_)
    if (!process.uses_library)
      return fmt::format("process {} ({}) does not use libdpm: {}", process.pid, printable(file_part(process.file)),
                         reason);
  return "";
}

}  // namespace dpm::cli
