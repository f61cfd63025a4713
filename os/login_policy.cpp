#include "os/login_policy.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>

#include "os/read_file.hpp"

namespace dpm {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// The main file, then the files of the three folders in the order of their names; of equal names that in /etc counts.
std::vector<std::string> logind_configuration() {
  std::vector<std::string> texts;
  for (const char* main : {"/usr/lib/systemd/logind.conf", "/etc/systemd/logind.conf"})
    texts.push_back(read_file(main));
  std::map<std::string, fs::path> additions;
  for (const char* folder :
       {"/usr/lib/systemd/logind.conf.d", "/run/systemd/logind.conf.d", "/etc/systemd/logind.conf.d"}) {
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
      if (at->path().extension() == ".conf") additions[at->path().filename()] = at->path();
  }
  for (const auto& [name, path] : additions) texts.push_back(read_file(path));
  return texts;
}

std::string user_name() {
  const passwd* user = ::getpwuid(::geteuid());
  return user != nullptr ? user->pw_name : "";
}

}  // namespace

bool kills_user_processes(const std::vector<std::string>& configuration) {
  constexpr std::string_view kKey = "KillUserProcesses=";
  std::optional<bool> shown, set;
  for (const auto& text : configuration) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const bool is_comment = line.starts_with('#');
      const std::string_view entry = std::string_view(line).substr(is_comment ? 1 : 0);
      if (!entry.starts_with(kKey)) continue;
      const std::string_view value = entry.substr(kKey.size());
      (is_comment ? shown : set) = value == "yes" || value == "true" || value == "1" || value == "on";
    }
  }
  return set.value_or(shown.value_or(false));
}

LoginPolicy login_policy() {
  LoginPolicy policy;
  policy.has_logind = exists("/run/systemd/seats");
  if (!policy.has_logind) return policy;
  policy.lingers = exists("/var/lib/systemd/linger/" + user_name());
  policy.kills_at_logout = ::geteuid() != 0 && kills_user_processes(logind_configuration());
  constexpr const char* kRunner = "/usr/bin/systemd-run";
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && exists(fmt::format("{}/systemd/private", runtime)) && exists(kRunner))
    policy.scope_runner = kRunner;
  return policy;
}

std::vector<std::string> outliving_session(std::vector<std::string> command, const LoginPolicy& policy) {
  if (!policy.lingers || policy.scope_runner.empty()) return command;
  std::vector<std::string> wrapped = {policy.scope_runner,       "--user", "--scope", "--quiet", "--collect",
                                      "--property=Delegate=yes", "--"};
  wrapped.insert(wrapped.end(), std::make_move_iterator(command.begin()), std::make_move_iterator(command.end()));
  return wrapped;
}

}  // namespace dpm
