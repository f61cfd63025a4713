#include "backends/linux/custody/keeper/socket_places.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "os/machine.hpp"
#include "os/user_paths.hpp"

namespace dpm {
namespace {

// The folder that logind makes for a user's sessions.
std::string session_directory(uid_t user) { return fmt::format("/run/user/{}", user); }

// $XDG_RUNTIME_DIR, if it is ours (under sudo it may be the calling user's) and stays when the last session ends.
std::string runtime_directory() {
  const char* path = std::getenv("XDG_RUNTIME_DIR");
  struct stat status = {};
  const bool is_ours = path != nullptr && path[0] == '/' && ::lstat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
                       status.st_uid == ::geteuid() && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  return is_ours && path != session_directory(::geteuid()) ? path : "";
}

// A host's name may contain any byte.
std::string below_state(const std::string& state) {
  std::string machine = machine_name();
  std::replace(machine.begin(), machine.end(), '/', '_');
  return fmt::format("{}/sockets-{}", state, machine);
}

std::vector<std::string> lasting_places(uid_t user, const std::string& state) {
  std::vector<std::string> places;
  if (user == 0) places.emplace_back("/run/dpm");
  places.push_back(fmt::format("/tmp/dpm-{}", user));
  if (!state.empty()) places.push_back(below_state(state));
  return places;
}

std::string registered_state_folder(uid_t user) {
  const passwd* account = ::getpwuid(user);
  return account != nullptr && account->pw_dir != nullptr && account->pw_dir[0] == '/'
             ? fmt::format("{}/.local/state/dpm", account->pw_dir)
             : "";
}

std::vector<std::string> names_in(const char* path) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path), ::closedir);
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) names.emplace_back(entry->d_name);
  return names;
}

// The account at the end of a name such as "1000" or "dpm-1000".
std::optional<uid_t> account_in(const std::string& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  uid_t user = 0;
  const char* end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + prefix.size(), end, user);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return user;
}

}  // namespace

OwnSocketPlaces own_socket_places() {
  if (const std::string runtime = runtime_directory(); !runtime.empty()) return {{runtime + "/dpm"}, ""};
  const uid_t self = ::geteuid();
  return {lasting_places(self, state_folder()), session_directory(self) + "/dpm"};
}

std::vector<std::string> all_socket_places(uid_t user) {
  const bool is_self = user == ::geteuid();
  std::vector<std::string> places = lasting_places(user, is_self ? state_folder() : registered_state_folder(user));
  places.push_back(session_directory(user) + "/dpm");
  if (const std::string runtime = runtime_directory(); is_self && !runtime.empty())
    places.insert(places.begin(), runtime + "/dpm");
  return places;
}

std::vector<uid_t> other_accounts() {
  std::set<uid_t> accounts;
  for (const auto& name : names_in("/tmp"))
    if (const auto user = account_in(name, "dpm-")) accounts.insert(*user);
  for (const auto& name : names_in("/run/user"))
    if (const auto user = account_in(name, "")) accounts.insert(*user);
  for (const auto& name : names_in("/proc")) {
    struct stat status = {};
    if (std::isdigit(static_cast<unsigned char>(name.front())) != 0 && ::stat(("/proc/" + name).c_str(), &status) == 0)
      accounts.insert(status.st_uid);
  }
  accounts.erase(::geteuid());
  return {accounts.begin(), accounts.end()};
}

}  // namespace dpm
