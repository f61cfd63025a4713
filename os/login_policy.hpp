// What becomes of a user's processes when the user logs out, where systemd-logind manages sessions.
//
//     lingers   kills_at_logout   processes of an ended session
//     no        no                go on; /run/user/UID and the user's service manager go away with the last session
//     no        yes               are killed
//     yes       either            /run/user/UID and the service manager stay: what runs in a scope of that manager goes on
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dpm {

struct LoginPolicy {
  bool has_logind = false;
  bool lingers = false;          // `loginctl enable-linger`
  bool kills_at_logout = false;  // KillUserProcesses=yes; never root's
  std::string scope_runner;      // the path of systemd-run, if the user's service manager runs
};

LoginPolicy login_policy();

// KillUserProcesses in the texts of logind.conf and what overrides it, in this order. A default that a text shows as a comment
// counts if nothing is set.
bool kills_user_processes(const std::vector<std::string>& configuration);

// The command, in a scope of the user's service manager where that manager outlives the session: there no logout ends it, and
// its cgroup is delegated to it. Unchanged elsewhere: without lingering, that manager is the first to go.
std::vector<std::string> outliving_session(std::vector<std::string> command, const LoginPolicy& policy);

}  // namespace dpm
