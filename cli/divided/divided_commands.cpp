#include "cli/divided/divided_commands.hpp"

namespace dpm {
namespace cli {

// Each in cli/commands/NAME; a folder there exports this function and no header.
std::unique_ptr<Command> make_statistics();
std::unique_ptr<Command> make_queues();
std::unique_ptr<Command> make_parallelism();
std::unique_ptr<Command> make_causality();
std::unique_ptr<Command> make_predict();
std::unique_ptr<Command> make_clocks();

}  // namespace cli

cli::Commands divided_commands() {
  cli::Commands commands;
  commands.push_back(cli::make_statistics());
  commands.push_back(cli::make_queues());
  commands.push_back(cli::make_parallelism());
  commands.push_back(cli::make_causality());
  commands.push_back(cli::make_predict());
  commands.push_back(cli::make_clocks());
  return commands;
}

}  // namespace dpm
