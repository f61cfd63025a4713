#include "os/kernel/open_descriptors.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace dpm {
namespace {

constexpr std::string_view kListenerLink = "anon_inode:seccomp notify";

// The names in a folder of /proc that are numbers.
std::vector<std::uint32_t> numbers_in(const std::string& path) {
  std::vector<std::uint32_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (!folder) return numbers;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
      numbers.push_back(static_cast<std::uint32_t>(std::strtoul(entry->d_name, nullptr, 10)));
  }
  return numbers;
}

}  // namespace

std::vector<std::uint32_t> read_process_ids() { return numbers_in("/proc"); }

std::vector<int> read_descriptor_numbers(std::uint32_t pid) {
  const auto numbers = numbers_in(fmt::format("/proc/{}/fd", pid));
  return {numbers.begin(), numbers.end()};
}

std::vector<int> read_listener_numbers(std::uint32_t pid) {
  const std::string folder = fmt::format("/proc/{}/fd", pid);
  std::vector<int> listeners;
  for (const std::uint32_t number : numbers_in(folder)) {
    char link[64];
    const ssize_t length = ::readlink(fmt::format("{}/{}", folder, number).c_str(), link, sizeof link);
    if (length > 0 && std::string_view(link, static_cast<std::size_t>(length)) == kListenerLink)
      listeners.push_back(static_cast<int>(number));
  }
  return listeners;
}

bool is_same_file(std::uint32_t pid, int fd, std::uint32_t other_pid, int other_fd) {
  return ::syscall(SYS_kcmp, pid, other_pid, KCMP_FILE, fd, other_fd) == 0;
}

bool share_listener(std::uint32_t pid, std::uint32_t other_pid) {
  const std::vector<int> others = read_listener_numbers(other_pid);
  if (others.empty()) return false;
  for (const int fd : read_listener_numbers(pid)) {
    for (const int other_fd : others) {
      if (is_same_file(pid, fd, other_pid, other_fd)) return true;
    }
  }
  return false;
}

}  // namespace dpm
