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
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

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

bool is_ours(const char* path) {
  struct stat status = {};
  return path != nullptr && path[0] == '/' && ::lstat(path, &status) == 0 && is_private_to(status, ::geteuid());
}

// The folder that logind makes for a user's sessions.
std::string session_directory(uid_t user) { return "/run/user/" + std::to_string(user); }

// $XDG_RUNTIME_DIR, if it is ours (under sudo it may be the calling user's) and stays when the last session ends.
std::string runtime_directory() {
  const char* path = std::getenv("XDG_RUNTIME_DIR");
  return is_ours(path) && path != session_directory(::geteuid()) ? path : "";
}

std::string lasting_path(uid_t user) { return "/tmp/dpm-" + std::to_string(user); }

std::vector<std::string> names_in(const char* path) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path), ::closedir);
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) names.emplace_back(entry->d_name);
  return names;
}

// The account at the end of a name such as "1000" or "dpm-1000"; nothing for root and for other names.
std::optional<uid_t> account_in(const std::string& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  uid_t user = 0;
  const char* end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + prefix.size(), end, user);
  if (parsed.ec != std::errc() || parsed.ptr != end || user == ::geteuid()) return std::nullopt;
  return user;
}

std::vector<std::pair<std::string, uid_t>> folders_of_others() {
  std::vector<std::pair<std::string, uid_t>> places;
  for (const auto& name : names_in("/tmp"))
    if (const auto user = account_in(name, "dpm-")) places.emplace_back("/tmp/" + name, *user);
  for (const auto& name : names_in("/run/user"))
    if (const auto user = account_in(name, "")) places.emplace_back("/run/user/" + name + "/dpm", *user);
  return places;
}

}  // namespace

Result<SocketFolder> SocketFolder::open(const std::string& path, uid_t owner) {
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status = {};
  if (!folder || ::fstat(folder.get(), &status) != 0) return Error::from_errno("open the folder of sockets " + path);
  if (!is_private_to(status, owner)) {
    return Error{
        fmt::format("open the folder of sockets {}: others than its owner can get at it, or another user owns it; "
                    "remove it, or give us a directory of our own in XDG_RUNTIME_DIR",
                    path)};
  }
  return SocketFolder(std::move(folder), owner);
}

Result<SocketFolder> SocketFolder::own() {
  const uid_t self = ::geteuid();
  const std::string runtime = runtime_directory();
  auto folder = make(runtime.empty() ? lasting_path(self) : runtime + "/dpm");
  // Another user may have made a folder of that name in /tmp.
  if (const std::string session = session_directory(self); !folder && is_ours(session.c_str()))
    if (auto other = make(session + "/dpm")) return other;
  return folder;
}

Result<SocketFolder> SocketFolder::make(const std::string& path) {
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    return Error::from_errno("make the folder of sockets " + path);
  return open(path, ::geteuid());
}

std::vector<SocketFolder> SocketFolder::about(uid_t user) {
  const uid_t self = ::geteuid();
  std::vector<std::pair<std::string, uid_t>> places;
  if (const std::string runtime = runtime_directory(); !runtime.empty()) places.emplace_back(runtime + "/dpm", self);
  places.emplace_back(lasting_path(self), self);
  places.emplace_back(session_directory(self) + "/dpm", self);
  if (self == 0 && user != self) {
    places.emplace_back(session_directory(user) + "/dpm", user);
    places.emplace_back(lasting_path(user), user);
  }
  std::vector<SocketFolder> folders;
  for (const auto& [path, owner] : places) {
    if (auto folder = open(path, owner)) folders.push_back(*std::move(folder));
  }
  return folders;
}

std::vector<SocketFolder> SocketFolder::everywhere() {
  std::vector<SocketFolder> folders = about(::geteuid());
  if (::geteuid() != 0) return folders;
  for (const auto& [path, owner] : folders_of_others()) {
    if (auto folder = open(path, owner)) folders.push_back(*std::move(folder));
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
