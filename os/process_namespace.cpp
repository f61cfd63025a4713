#include "os/process_namespace.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace dpm {

std::uint32_t process_namespace() {
  struct stat space = {};
  return ::stat("/proc/self/ns/pid", &space) == 0 ? static_cast<std::uint32_t>(space.st_ino) : 0;
}

bool has_own_process_ids() {
  constexpr std::uint32_t kFirst = 0xEFFFFFFC;  // PROC_PID_INIT_INO of the kernel
  return process_namespace() != kFirst;
}

bool shows_own_process_ids() {
  std::array<char, 16> self = {};
  return ::readlink("/proc/self", self.data(), self.size() - 1) > 0 && std::atoi(self.data()) == ::getpid();
}

}  // namespace dpm
