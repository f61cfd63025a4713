#include "os/process_handle.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace dpm {
namespace {

// struct pidfd_info and its request, of linux/pidfd.h since Linux 6.13; an older kernel refuses the request.
struct PidfdInfo {
  std::uint64_t mask = 0, cgroup = 0;
  std::uint32_t numbers[3] = {}, accounts[8] = {};
  std::int32_t exit_code = 0;
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr std::uint64_t kExitCode = 1u << 3;
constexpr unsigned long kGetInfo = _IOWR(0xFF, 11, PidfdInfo);

}  // namespace

std::optional<std::uint32_t> exit_code_of(int process_fd) {
  PidfdInfo info;
  info.mask = kExitCode;
  if (::ioctl(process_fd, kGetInfo, &info) != 0 || (info.mask & kExitCode) == 0) return std::nullopt;
  return static_cast<std::uint32_t>(info.exit_code);
}

UniqueFd open_process(std::uint32_t pid) { return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

bool has_ended(int process_fd) {
  pollfd item{process_fd, POLLIN, 0};
  return ::poll(&item, 1, 0) == 1;
}

std::uint32_t process_of(int process_fd) {
  const std::string path = "/proc/self/fdinfo/" + std::to_string(process_fd);
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char text[1024];
  const ssize_t length = file ? ::read(file.get(), text, sizeof text - 1) : 0;
  if (length <= 0) return 0;
  text[length] = '\0';
  const char* line = std::strstr(text, "\nPid:\t");  // "-1" when it has ended
  const long pid = line == nullptr ? 0 : std::strtol(line + 6, nullptr, 10);
  return pid > 0 ? static_cast<std::uint32_t>(pid) : 0;
}

}  // namespace dpm
