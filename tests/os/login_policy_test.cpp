#include "os/login_policy.hpp"

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("login policy: the last setting of KillUserProcesses counts, and a default that is shown", "[os]") {
  CHECK_FALSE(kills_user_processes({}));
  CHECK_FALSE(kills_user_processes({"[Login]\n#KillUserProcesses=no\n"}));
  CHECK(kills_user_processes({"[Login]\n#KillUserProcesses=yes\n"}));
  CHECK(kills_user_processes({"[Login]\n#KillUserProcesses=no\n", "[Login]\nKillUserProcesses=yes\n"}));
  CHECK_FALSE(kills_user_processes({"[Login]\nKillUserProcesses=yes\n", "KillUserProcesses=no\n"}));
  CHECK_FALSE(kills_user_processes({"KillUserProcesses=no\n", "#KillUserProcesses=yes\n"}));
  CHECK_FALSE(kills_user_processes({"KillOnlyUsers=yes\n"}));
}

TEST_CASE("login policy: a scope is used only where it outlives the session", "[os]") {
  const Words command = {"dpm", "meterd"};
  CHECK(outliving_session(command, {}) == command);
  // Without lingering the user's service manager ends with the last session, and its scopes with it.
  CHECK(outliving_session(command, {.has_logind = true, .scope_runner = "/usr/bin/systemd-run"}) == command);
  CHECK(outliving_session(command, {.has_logind = true, .lingers = true}) == command);
  CHECK(outliving_session(command, {.has_logind = true, .lingers = true, .scope_runner = "/usr/bin/systemd-run"}) ==
        Words{"/usr/bin/systemd-run", "--user", "--scope", "--quiet", "--collect", "--property=Delegate=yes", "--",
              "dpm", "meterd"});
}

}  // namespace dpm
