// dpm-sim: the commands of dpm that simulate. Started by dpm.
#include "cli/commands.hpp"

int main(int argc, char** argv) {
  using namespace dpm::cli;
  Terminal terminal = standard_terminal();
  Commands commands;
  commands.push_back(make_run());
  commands.push_back(make_twin());
  return run_command_line(commands, argc, argv, terminal);
}
