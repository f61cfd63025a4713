// dpm-sim: the commands of dpm that simulate. Started by dpm.
#include "cli/commands/commands.hpp"

int main(int argc, char** argv) {
  using namespace dpm::cli;
  dpm::Terminal terminal = dpm::standard_terminal();
  return run_command_line(simulator_commands(), argc, argv, terminal);
}
