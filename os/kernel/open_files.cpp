#include "os/kernel/open_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>

namespace dpm {
namespace {

// The 4711 of "socket:[4711]".
bool number_in(std::string_view link, std::string_view kind, std::uint64_t& number) {
  if (!link.starts_with(kind) || !link.ends_with(']')) return false;
  link.remove_prefix(kind.size());
  return std::from_chars(link.data(), link.data() + link.size() - 1, number).ec == std::errc();
}

void add_named_pipe(int folder, const char* name, OpenFiles& open) {
  struct statx status = {};
  constexpr int kAsKnown = AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT;
  if (::statx(folder, name, kAsKnown, STATX_TYPE | STATX_INO, &status) == 0 && S_ISFIFO(status.stx_mode))
    open.named_pipes.emplace(makedev(status.stx_dev_major, status.stx_dev_minor), status.stx_ino);
}

}  // namespace

bool add_open_files(std::uint32_t pid, OpenFiles& open) {
  const std::string path = fmt::format("/proc/{}/fd", pid);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (!folder) return errno == ENOENT || errno == ESRCH;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] == '.') continue;
    ++open.descriptors;
    std::array<char, 64> link;
    const ssize_t length = ::readlinkat(::dirfd(folder.get()), entry->d_name, link.data(), link.size());
    if (length < 0 && errno == EACCES) return false;
    if (length <= 0) continue;
    const std::string_view target(link.data(), static_cast<std::size_t>(length));
    std::uint64_t inode = 0;
    if (number_in(target, "socket:[", inode)) {
      open.sockets.insert(inode);
    } else if (number_in(target, "pipe:[", inode)) {
      open.pipes.insert(inode);
    } else if (target.front() == '/') {
      add_named_pipe(::dirfd(folder.get()), entry->d_name, open);
    }
  }
  return true;
}

}  // namespace dpm
