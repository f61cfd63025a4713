#include "backends/linux/remote/agents/program_processes.hpp"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "backends/linux/capture/kernel/process_files.hpp"

namespace dpm {
namespace {

// False where the kernel does not tell (CONFIG_PROC_CHILDREN).
bool read_children(std::uint32_t pid, std::vector<std::uint32_t>& children) {
  for (const auto tid : read_thread_ids(pid)) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/children");
    if (!file) {
      // Another thread or process may have ended, but we exist.
      if (pid == static_cast<std::uint32_t>(::getpid()) && tid == pid) return false;
      continue;
    }
    for (std::uint32_t child = 0; file >> child;) children.push_back(child);
  }
  return true;
}

std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> children_by_parent() {
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> children;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) continue;
    const auto status = read_status(static_cast<std::uint32_t>(std::strtoul(entry->d_name, nullptr, 10)));
    if (status) children[status->parent_pid].push_back(status->pid);
  }
  return children;
}

}  // namespace

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

std::vector<std::uint32_t> descendants() {
  const auto self = static_cast<std::uint32_t>(::getpid());
  std::vector<std::uint32_t> found;
  if (read_children(self, found)) {
    for (std::size_t i = 0; i < found.size(); ++i) read_children(std::uint32_t{found[i]}, found);
    return found;
  }
  auto children_of = children_by_parent();
  found = children_of[self];
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto children = children_of[found[i]];
    found.insert(found.end(), children.begin(), children.end());
  }
  return found;
}

void signal_descendants(int signal) {
  std::set<std::uint32_t> signalled;
  for (bool found_others = true; found_others;) {
    found_others = false;
    for (const auto pid : descendants()) {
      if (!signalled.insert(pid).second) continue;
      found_others = true;
      ::kill(static_cast<pid_t>(pid), signal);
    }
  }
}

void reap_orphans(std::uint32_t spared) {
  siginfo_t ended = {};
  while (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0 &&
         static_cast<std::uint32_t>(ended.si_pid) != spared) {
    ::waitpid(ended.si_pid, nullptr, WNOHANG);
    ended = {};
  }
}

}  // namespace dpm
