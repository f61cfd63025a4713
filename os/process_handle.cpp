#include "os/process_handle.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace dpm {

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
