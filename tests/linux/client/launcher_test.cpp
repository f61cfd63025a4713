// Commands by which machines are reached.
#include "backends/linux/remote/client/launcher.hpp"

#include <stdlib.h>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

std::string joined(const Result<std::vector<std::string>>& words) {
  if (!words) return words.error().what;
  std::string text;
  for (const auto& word : *words) text += (text.empty() ? "" : "|") + word;
  return text;
}

TEST_CASE("launcher: ssh asks nothing, has no terminal and notices a machine that has vanished", "[daemon]") {
  CHECK(joined(launcher_command({}, "red")) ==
        "ssh|-T|-o|BatchMode=yes|-o|ConnectTimeout=15|-o|ServerAliveInterval=10|-o|ServerAliveCountMax=3|--|red|"
        "exec 'dpm' meterd --attach");
  Launcher launcher;
  launcher.ssh = "ssh -F config";
  launcher.dpm = "/opt/it's/dpm";
  const auto command = joined(launcher_command(launcher, "user@red"));
  CHECK(command.starts_with("ssh|-F|config|-T|"));
  CHECK(command.ends_with("|user@red|exec '/opt/it'\\''s/dpm' meterd --attach"));
}

TEST_CASE("launcher: srun stays as long as the daemon, local gives every name a daemon", "[daemon]") {
  CHECK(joined(launcher_command({.kind = Launcher::Kind::srun}, "node7")) ==
        "srun|--nodelist=node7|--nodes=1|--ntasks=1|--overlap|--quiet|--unbuffered|dpm|meterd|--attach|--stay");
  CHECK(joined(launcher_command({.kind = Launcher::Kind::local, .dpm = "/bin/dpm"}, "red")) ==
        "/bin/dpm|meterd|--attach|--machine|red");
}

TEST_CASE("launcher: a word that cannot be a machine's name reaches no command line", "[daemon]") {
  for (const std::string name : {"", "-oProxyCommand=x", "red;reboot", "red green", "red\n", "$(reboot)", "a/b"})
    CHECK_FALSE(launcher_command({}, name));
  for (const std::string name : {"red", "user@red.example.org", "10.0.0.1", "fe80::1%eth0"})
    CHECK(launcher_command({}, name));
}

TEST_CASE("launcher: by name, with the ssh of the environment", "[daemon]") {
  ::setenv("DPM_SSH", "ssh -p 2222", 1);
  CHECK(launcher_named("ssh").value().ssh == "ssh -p 2222");
  ::setenv("DPM_SSH", " ", 1);
  CHECK(launcher_named("ssh").value().ssh == "ssh");
  ::unsetenv("DPM_SSH");
  CHECK(launcher_named("local").value().kind == Launcher::Kind::local);
  CHECK(launcher_named("srum").error().what ==
        "no launcher 'srum' (did you mean 'srun'?); there are ssh, srun and local");
}

}  // namespace
}  // namespace dpm
