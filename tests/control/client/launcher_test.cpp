// Commands by which machines are reached.
#include "control/client/launcher.hpp"

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
        "no launcher 'srum' (did you mean 'srun'?); there are ssh, srun, local and commands with {machine}");
}

TEST_CASE("launcher: a command with {machine} gets the name and the daemon's command as words", "[daemon]") {
  const auto command = [](const std::string& text, const std::string& machine) {
    return joined(launcher_command(launcher_named(text).value(), machine));
  };
  CHECK(command("docker exec -i {machine}", "red") == "docker|exec|-i|red|dpm|meterd|--attach");
  CHECK(command(" kubectl  exec -i pod/{machine} -c main -- ", "red-0") ==
        "kubectl|exec|-i|pod/red-0|-c|main|--|dpm|meterd|--attach");
  CHECK(command("x {machine}.{machine}", "{machine}") == "'{machine}' cannot be a machine's name");
  CHECK(command("x {machine}.{machine}", "red") == "x|red.red|dpm|meterd|--attach");
  auto launcher = launcher_named("podman exec -i {machine}").value();
  launcher.dpm = "/opt/a folder/dpm";
  CHECK(joined(launcher_command(launcher, "red")) == "podman|exec|-i|red|/opt/a folder/dpm|meterd|--attach");
  CHECK_FALSE(launcher_command(launcher, "--privileged"));
  CHECK(launcher_named("docker exec -i").error().what ==
        "the launcher 'docker exec -i' does not say where the machine's name belongs: write it as {machine}");
}

TEST_CASE("launcher: the program is copied by the same way that leads to the machine", "[daemon]") {
  const DpmCopy copy{"/bin/own dpm", std::string(64, 'a')};
  const auto ssh = launcher_command({.copy = copy}, "red").value();
  CHECK(std::vector<std::string>(ssh.begin(), ssh.begin() + 2) == std::vector<std::string>{"sh", "-c"});
  CHECK(ssh[4] == "/bin/own dpm");
  CHECK(ssh[7] == "exec \"$HOME/.cache/dpm/bin/aaaaaaaaaaaaaaaa/dpm\" meterd --attach");
  CHECK(ssh[8] == "ssh");
  CHECK(ssh.back() == "red");
  const auto srun = launcher_command({.kind = Launcher::Kind::srun, .copy = copy}, "red").value();
  CHECK(srun[7].ends_with(" meterd --attach --stay"));
  CHECK(srun.back() == "--unbuffered");
}

}  // namespace
}  // namespace dpm
