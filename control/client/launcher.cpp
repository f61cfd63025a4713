#include "control/client/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include "model/nearest_name.hpp"
#include "os/own_program.hpp"

namespace dpm {
namespace {

constexpr std::size_t kNameBytesMax = 253;  // of a host in the DNS
constexpr std::string_view kMachine = "{machine}";

bool is_machine_name(const std::string& name) {
  if (name.empty() || name.size() > kNameBytesMax || name.front() == '-') return false;
  // user@host, IPv6 addresses with a zone, host:port of an ssh configuration
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == '@' || c == ':' || c == '%';
  });
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// For the shell at the other end of ssh.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string program(const Launcher& launcher) { return launcher.dpm.empty() ? "dpm" : launcher.dpm; }

std::vector<std::string> ssh_command(const Launcher& launcher, const std::string& machine) {
  auto command = words_of(launcher.ssh);
  // No terminal, no questions; ssh notices within half a minute that a machine has vanished.
  for (const char* option : {"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=10",
                             "-o", "ServerAliveCountMax=3", "--"})
    command.emplace_back(option);
  command.push_back(machine);
  if (launcher.copy) return copying_command(*launcher.copy, command, true);
  command.push_back(fmt::format("exec {} meterd --attach", quoted(program(launcher))));
  return command;
}

std::vector<std::string> srun_command(const Launcher& launcher, const std::string& machine) {
  // When a step ends, Slurm kills the processes that it left. So the step stays as long as the daemon (--stay).
  std::vector<std::string> command = {"srun",    "--nodelist=" + machine, "--nodes=1", "--ntasks=1", "--overlap",
                                      "--quiet", "--unbuffered"};
  if (launcher.copy) return copying_command(*launcher.copy, command, false, {"--stay"});
  command.insert(command.end(), {program(launcher), "meterd", "--attach", "--stay"});
  return command;
}

std::vector<std::string> local_command(const Launcher& launcher, const std::string& machine) {
  return {launcher.dpm.empty() ? own_program() : launcher.dpm, "meterd", "--attach", "--machine", machine};
}

// Without a shell: the words of the name and of the program stay words.
std::vector<std::string> own_command(const Launcher& launcher, const std::string& machine) {
  auto command = words_of(launcher.command);
  for (auto& word : command)
    for (std::size_t at = 0; (at = word.find(kMachine, at)) != std::string::npos; at += machine.size())
      word.replace(at, kMachine.size(), machine);
  if (launcher.copy) return copying_command(*launcher.copy, command, false);
  command.insert(command.end(), {program(launcher), "meterd", "--attach"});
  return command;
}

}  // namespace

Result<Launcher> launcher_named(const std::string& kind) {
  Launcher launcher;
  if (const char* ssh = std::getenv("DPM_SSH"); ssh != nullptr && !words_of(ssh).empty()) launcher.ssh = ssh;
  if (kind == "ssh") {
    launcher.kind = Launcher::Kind::ssh;
  } else if (kind == "srun") {
    launcher.kind = Launcher::Kind::srun;
  } else if (kind == "local") {
    launcher.kind = Launcher::Kind::local;
  } else if (kind.find(kMachine) != std::string::npos) {
    launcher.kind = Launcher::Kind::command;
    launcher.command = kind;
  } else if (words_of(kind).size() > 1) {
    return Error{
        fmt::format("the launcher '{}' does not say where the machine's name belongs: write it as {}", kind, kMachine)};
  } else {
    const std::vector<std::string> kinds = {"ssh", "srun", "local"};
    return Error{fmt::format("no launcher '{}'{}; there are ssh, srun, local and commands with {}", kind,
                             did_you_mean(kind, kinds), kMachine)};
  }
  return launcher;
}

Result<std::vector<std::string>> launcher_command(const Launcher& launcher, const std::string& machine) {
  if (!is_machine_name(machine)) return Error{fmt::format("'{}' cannot be a machine's name", machine)};
  switch (launcher.kind) {
    case Launcher::Kind::ssh:
      return ssh_command(launcher, machine);
    case Launcher::Kind::srun:
      return srun_command(launcher, machine);
    case Launcher::Kind::local:
      return local_command(launcher, machine);
    case Launcher::Kind::command:
      return own_command(launcher, machine);
  }
  return Error{"no such launcher"};
}

}  // namespace dpm
