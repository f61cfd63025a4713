#include "os/whole_io.hpp"

#include <unistd.h>

#include <cerrno>

namespace dpm {

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string read_to_end(int fd) {
  std::string text;
  char part[512];
  ssize_t length = 0;
  while ((length = ::read(fd, part, sizeof part)) > 0 || (length < 0 && errno == EINTR)) {
    if (length > 0) text.append(part, static_cast<std::size_t>(length));
  }
  return text;
}

}  // namespace dpm
