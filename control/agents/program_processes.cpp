#include "control/agents/program_processes.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <unordered_map>

#include "os/kernel/process_files.hpp"

namespace dpm {
namespace {

std::string children_path(std::uint32_t pid, std::uint32_t tid) {
  return fmt::format("/proc/{}/task/{}/children", pid, tid);
}

// False where the kernel does not tell children (CONFIG_PROC_CHILDREN).
bool are_children_told() {
  const auto self = static_cast<std::uint32_t>(::getpid());
  return std::ifstream(children_path(self, self)).is_open();
}

void read_children(std::uint32_t pid, std::vector<std::uint32_t>& children) {
  for (const auto tid : read_thread_ids(pid)) {
    std::ifstream file(children_path(pid, tid));  // of a thread that may have ended
    for (std::uint32_t child = 0; file >> child;) children.push_back(child);
  }
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

std::vector<std::uint32_t> descendants() { return descendants_of(static_cast<std::uint32_t>(::getpid())); }

std::vector<std::uint32_t> descendants_of(std::uint32_t ancestor) {
  std::vector<std::uint32_t> found;
  if (are_children_told()) {
    read_children(ancestor, found);
    for (std::size_t i = 0; i < found.size(); ++i) read_children(std::uint32_t{found[i]}, found);
    return found;
  }
  auto children_of = children_by_parent();
  found = children_of[ancestor];
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto children = children_of[found[i]];
    found.insert(found.end(), children.begin(), children.end());
  }
  return found;
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
