#include "os/new_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "os/user_paths.hpp"

namespace dpm {

Result<void> check_new_files(std::span<const std::string> paths) {
  const auto place = [](const std::string& path) {
    std::error_code failed;
    const auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path, failed), failed);
    return failed ? path : whole.string();
  };
  for (auto path = paths.begin(); path != paths.end(); ++path) {
    if (path->empty()) continue;
    if (access(path->c_str(), F_OK) == 0)
      return Error{*path + " exists already: name a new file, nothing is overwritten"};
    for (auto other = paths.begin(); other != path; ++other)
      if (place(*other) == place(*path)) return Error{*path + " would be two files: give each its own name"};
  }
  return {};
}

Result<void> write_new_file(const std::string& path, const std::string& text) {
  if (auto done = make_parent_folders(path); !done) return done.error();
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0 && errno == EEXIST) return Error{path + " exists already: name a new file, nothing is overwritten"};
  if (fd < 0) return Error::from_errno("write " + path);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(fd, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const Error failed = Error::from_errno("write " + path);
      close(fd);
      unlink(path.c_str());
      return failed;
    }
    written += static_cast<std::size_t>(n);
  }
  if (close(fd) != 0) return Error::from_errno("write " + path);
  return {};
}

}  // namespace dpm
