#include "os/user_paths.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace dpm {

std::string home_folder() {
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return home;
  const passwd* user = ::getpwuid(::geteuid());
  return user != nullptr && user->pw_dir != nullptr && user->pw_dir[0] == '/' ? user->pw_dir : "/";
}

std::string expand_path(const std::string& path) {
  if (path.starts_with("/")) return path;
  if (path == "~") return home_folder();
  return fmt::format("{}/{}", home_folder(), path.starts_with("~/") ? path.substr(2) : path);
}

Result<void> make_folders(const std::string& path, unsigned mode) {
  for (std::size_t at = 1; at != std::string::npos;) {
    at = path.find('/', at);
    const std::string folder = path.substr(0, at);
    if (::mkdir(folder.c_str(), mode) != 0 && errno != EEXIST) return Error::from_errno("make the folder " + folder);
    if (at != std::string::npos) ++at;
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return Error::from_errno("make the folder " + path);
  if (!S_ISDIR(status.st_mode))
    return Error{fmt::format("make the folder {}: a file of that name is in its place", path)};
  return {};
}

Result<void> make_parent_folders(const std::string& path) {
  const auto end = path.find_last_not_of('/');
  const auto slash = end == std::string::npos ? end : path.rfind('/', end);
  if (slash == std::string::npos || slash == 0) return {};
  const std::string parent = path.substr(0, slash);
  struct stat status {};
  if (::stat(parent.c_str(), &status) == 0) return {};
  return make_folders(parent, 0777);
}

std::string state_folder() {
  // The XDG base directory specification says to ignore a relative path.
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && state[0] == '/')
    return std::string(state) + "/dpm";
  const std::string home = home_folder();
  return (home == "/" ? "" : home) + "/.local/state/dpm";
}

Result<std::string> make_state_folder() {
  const std::string path = state_folder();
  if (auto made = make_folders(path, 0700); !made) return made.error();
  return path;
}

}  // namespace dpm
