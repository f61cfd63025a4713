#include "os/kernel/children.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

#include "os/kernel/process_files.hpp"
#include "os/unique_fd.hpp"

namespace dpm {
namespace {

bool append_children(std::uint32_t pid, std::uint32_t tid, std::vector<std::uint32_t>& children) {
  const std::string path = fmt::format("/proc/{}/task/{}/children", pid, tid);
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return false;
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t length = 0; (length = ::read(file.get(), part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(length));
  const char* at = text.c_str();
  for (char* end = nullptr;; at = end) {
    const unsigned long child = std::strtoul(at, &end, 10);
    if (end == at) return true;
    children.push_back(static_cast<std::uint32_t>(child));
  }
}

}  // namespace

// "1234 (any name) S 1 1234 ...": STATE is field 3, and the name may hold anything.
std::optional<ChildState> parse_child(const char* stat) {
  constexpr int kState = 3, kParent = 4, kGroup = 5, kFlags = 9, kReapedMinor = 11, kReapedMajor = 13, kReapedUser = 16,
                kReapedSystem = 17, kThreads = 20, kExitSignal = 38, kExitCode = 52;
  constexpr unsigned long kExiting = 0x4, kForkedOnly = 0x40;  // PF_EXITING, PF_FORKNOEXEC of the kernel's sched.h
  const char* at = std::strrchr(stat, ')');
  const char* name = std::strchr(stat, '(');
  if (at == nullptr || at[1] != ' ' || name == nullptr) return std::nullopt;
  ChildState child;
  child.name.assign(name + 1, at);
  child.pid = static_cast<std::uint32_t>(std::strtoul(stat, nullptr, 10));
  int field = kState - 1;
  while (at != nullptr && field < kExitCode) {
    at = std::strchr(at + 1, ' ');
    if (at == nullptr) break;
    ++field;
    if (field == kState) child.state = at[1];
    if (field == kParent) child.parent_pid = static_cast<std::uint32_t>(std::strtoul(at, nullptr, 10));
    if (field == kGroup) child.group = static_cast<std::uint32_t>(std::strtol(at, nullptr, 10));
    if (field == kFlags) {
      const unsigned long flags = std::strtoul(at, nullptr, 10);
      child.has_executed = (flags & kForkedOnly) == 0;
      child.is_exiting = (flags & kExiting) != 0;
    }
    if (field == kReapedMinor || field == kReapedMajor) child.reaped_faults += std::strtoull(at, nullptr, 10);
    if (field == kReapedUser || field == kReapedSystem) child.reaped_ticks += std::strtoull(at, nullptr, 10);
    if (field == kThreads) child.threads = static_cast<int>(std::strtol(at, nullptr, 10));
    if (field == kExitSignal) child.exit_signal = static_cast<int>(std::strtol(at, nullptr, 10));
    if (field == kExitCode) child.exit_code = static_cast<std::uint32_t>(std::strtoul(at, nullptr, 10));
  }
  if (field < kExitSignal) return std::nullopt;
  return child;
}

std::optional<ChildState> read_child(std::uint32_t pid) {
  const UniqueFd file(::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> text;
  const ssize_t length = file ? ::read(file.get(), text.data(), text.size() - 1) : 0;
  if (length <= 0) return std::nullopt;
  text[static_cast<std::size_t>(length)] = '\0';
  return parse_child(text.data());
}

std::vector<std::uint32_t> read_children_of_thread(std::uint32_t pid, std::uint32_t tid) {
  std::vector<std::uint32_t> children;
  append_children(pid, tid, children);
  return children;
}

std::optional<std::vector<std::uint32_t>> read_children(std::uint32_t pid, std::uint32_t tid, std::size_t threads_max) {
  const std::vector<std::uint32_t> threads = read_thread_ids(pid);
  std::vector<std::uint32_t> children;
  if (threads.size() > threads_max || !append_children(pid, tid, children)) return std::nullopt;
  for (const std::uint32_t other : threads)
    if (other != tid) append_children(pid, other, children);
  return children;
}

}  // namespace dpm
