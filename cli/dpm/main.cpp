// dpm: the commands that need no simulator. The commands that simulate are in a second executable, dpm-sim, which dpm
// starts. Therefore metered machines need no SimGrid.
#include <unistd.h>

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands/commands.hpp"

namespace dpm::cli {
namespace {

std::string folder_of_this_program() {
  std::string path(4096, '\0');
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  path.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return path.substr(0, path.rfind('/'));
}

// Returns only if it cannot become dpm-sim.
int become_simulator(char** argv, Terminal& terminal) {
  const std::string folder = folder_of_this_program();
  const std::vector<std::string> places = {folder + "/dpm-sim", folder + "/../libexec/dpm/dpm-sim"};
  for (const auto& place : places) execv(place.c_str(), argv);
  terminal.err << "dpm " << argv[1]
               << ": the simulator 'dpm-sim' is not beside this program; install the package dpm-sim, "
               << "or build it with ./dev build\n";
  return kWrongInput;
}

}  // namespace
}  // namespace dpm::cli

int main(int argc, char** argv) {
  using namespace dpm::cli;
  Terminal terminal = standard_terminal();
  const std::string first = argc > 1 ? argv[1] : "";
  for (const auto& command : simulator_command_names())
    if (first == command) return become_simulator(argv, terminal);
  return run_command_line(dpm_commands(), argc, argv, terminal);
}
