// dpm: the commands that need no simulator. The commands that simulate are in a second executable, dpm-sim, which dpm
// starts. Therefore metered machines need no SimGrid.
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "answers/parallel/ranks/thread_ranks.hpp"
#include "cli/command.hpp"
#include "cli/commands/commands.hpp"
#include "cli/divided/divided_commands.hpp"
#include "cli/divided/divided_run.hpp"

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

bool is_divided(const std::string& name) {
  const Commands commands = divided_commands();
  return std::any_of(commands.begin(), commands.end(), [&](const auto& command) { return command->name() == name; });
}

}  // namespace
}  // namespace dpm::cli

int main(int argc, char** argv) {
  using namespace dpm::cli;
  dpm::Terminal terminal = dpm::standard_terminal();
  const std::string first = argc > 1 ? argv[1] : "";
  for (const auto& command : simulator_command_names())
    if (first == command) return become_simulator(argv, terminal);
  const std::uint32_t jobs = is_divided(first) ? dpm::jobs_of(argc, argv) : 1;
  if (jobs == 1) return run_command_line(dpm_commands(), argc, argv, terminal);
  int status = kDone;
  dpm::ThreadRanks::run(jobs, [&](dpm::Ranks& ranks) {
    const int own = dpm::run_divided(ranks, dpm::divided_commands, argc, argv, terminal);
    if (ranks.is_first()) status = own;
  });
  return status;
}
