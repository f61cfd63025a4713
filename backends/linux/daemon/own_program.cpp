#include "backends/linux/daemon/own_program.hpp"

#include <unistd.h>

#include <climits>

namespace dpm {

std::string own_program() {
  constexpr const char* kSelf = "/proc/self/exe";
  char path[PATH_MAX];
  const ssize_t length = ::readlink(kSelf, path, sizeof path);
  const std::string found(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  // After an upgrade the file we are has no name any more, but can still be started.
  return !found.empty() && ::access(found.c_str(), X_OK) == 0 ? found : kSelf;
}

}  // namespace dpm
