#include "backends/linux/custody/keeper/socket_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "backends/linux/custody/keeper/socket_places.hpp"
#include "os/user_paths.hpp"

namespace dpm {
namespace {

constexpr int kConnectionsWaiting = 16;
constexpr timeval kPatience = {5, 0};

// A name in an open folder. Socket paths are limited to 107 bytes; this one is always short, and names the folder that was
// checked even if another one has taken its place.
sockaddr_un address_in(int folder, const std::string& name) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}/{}", folder, name);
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}

bool is_private_to(const struct stat& status, uid_t owner) {
  return S_ISDIR(status.st_mode) && status.st_uid == owner && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

std::string fault_of(const struct stat& status, uid_t owner) {
  if (!S_ISDIR(status.st_mode)) return "it is not a directory";
  if (status.st_uid != owner) return fmt::format("user {} owns it", status.st_uid);
  return "other users may enter it";
}

}  // namespace

// What is checked is the directory that stays open: its name may come to mean another one.
Result<SocketFolder> SocketFolder::open(const std::string& path, uid_t owner) {
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const int failure = errno;
  struct stat status = {};
  const bool is_known = (folder ? ::fstat(folder.get(), &status) : ::lstat(path.c_str(), &status)) == 0;
  if (is_known && !is_private_to(status, owner)) return Error{fmt::format("{}: {}", path, fault_of(status, owner))};
  errno = failure;
  if (!folder || !is_known) return Error::from_errno(path);
  return SocketFolder(std::move(folder), owner);
}

Result<SocketFolder> SocketFolder::own() {
  auto [places, session] = own_socket_places();
  for (const auto& path : places) {
    if (auto folder = open(path, ::geteuid()); folder && folder->takes_files()) return folder;
  }
  if (!session.empty()) places.push_back(session);
  std::string reasons;
  for (const auto& path : places) {
    auto folder = make(path);
    if (folder) return folder;
    reasons += (reasons.empty() ? "" : "; ") + folder.error().what;
  }
  return Error{fmt::format(
      "there is no place for sockets ({}): set XDG_RUNTIME_DIR to a directory that only you may enter", reasons)};
}

Result<SocketFolder> SocketFolder::make(const std::string& path) {
  const std::string above = path.substr(0, path.rfind('/'));
  // Nothing makes /run or /run/user/UID but the system.
  if (above == state_folder())
    if (auto made = make_state_folder(); !made) return made.error();
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) return Error::from_errno(path);
  auto folder = open(path, ::geteuid());
  if (folder && !folder->takes_files()) return Error::from_errno(path);
  return folder;
}

// Not if its file system is mounted read-only.
bool SocketFolder::takes_files() const { return ::faccessat(folder_.get(), ".", W_OK | X_OK, AT_EACCESS) == 0; }

Result<std::vector<SocketFolder>> SocketFolder::all_own() {
  auto made = own();
  if (!made) return made.error();
  auto [places, session] = own_socket_places();
  if (!session.empty()) places.push_back(session);
  auto folders = existing(places, ::geteuid());
  if (folders.empty()) folders.push_back(*std::move(made));
  return folders;
}

std::vector<SocketFolder> SocketFolder::existing(const std::vector<std::string>& places, uid_t owner) {
  std::vector<SocketFolder> folders;
  for (const auto& path : places) {
    if (auto folder = open(path, owner)) folders.push_back(*std::move(folder));
  }
  return folders;
}

std::vector<SocketFolder> SocketFolder::about(uid_t user) {
  const uid_t self = ::geteuid();
  std::vector<SocketFolder> folders = existing(all_socket_places(self), self);
  if (self != 0 || user == self) return folders;
  for (auto& folder : existing(all_socket_places(user), user)) folders.push_back(std::move(folder));
  return folders;
}

std::vector<SocketFolder> SocketFolder::everywhere() {
  std::vector<SocketFolder> folders = about(::geteuid());
  if (::geteuid() != 0) return folders;
  for (const uid_t user : other_accounts()) {
    for (auto& folder : existing(all_socket_places(user), user)) folders.push_back(std::move(folder));
  }
  return folders;
}

Result<UniqueFd> SocketFolder::listen(const std::string& name, int type) const {
  UniqueFd socket(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return Error::from_errno("make the socket " + name);
  const std::string unfinished = ".new-" + name;
  remove(unfinished);
  const sockaddr_un address = address_in(folder_.get(), unfinished);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), kConnectionsWaiting) != 0 ||
      ::renameat(folder_.get(), unfinished.c_str(), folder_.get(), name.c_str()) != 0) {
    return Error::from_errno("listen at the socket " + name);
  }
  return socket;
}

UniqueFd SocketFolder::connect(const std::string& name, int type) const {
  UniqueFd socket(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  if (!socket) return socket;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  const sockaddr_un address = address_in(folder_.get(), name);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == ECONNREFUSED) remove(name);
    return UniqueFd();
  }
  return peer_of(socket.get()).user == owner_ ? std::move(socket) : UniqueFd();
}

void SocketFolder::remove(const std::string& name) const { ::unlinkat(folder_.get(), name.c_str(), 0); }

std::vector<std::string> SocketFolder::names(const std::string& prefix) const {
  std::vector<std::string> found;
  // Opened again: a duplicate would share the position in the folder.
  const int again = ::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (again < 0) return found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::fdopendir(again), ::closedir);
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string name = entry->d_name;
    if (name.starts_with(prefix)) found.push_back(name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

UniqueFd SocketFolder::lock() const {
  UniqueFd lock(::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (lock && ::flock(lock.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  return lock;
}

bool SocketPeer::may_ask() const { return user == 0 || user == ::geteuid(); }

SocketPeer peer_of(int connection) {
  ucred credentials = {};
  socklen_t length = sizeof credentials;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return {0, static_cast<uid_t>(-1)};
  return {credentials.pid, credentials.uid};
}

}  // namespace dpm
