// A command is one file: cli/commands/NAME/NAME.cpp has its help, its options and its action.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "model/result.hpp"
#include "text/terminal.hpp"

namespace dpm::cli {

inline constexpr int kDone = 0;
inline constexpr int kFellShort = 1;   // the thing asked about failed
inline constexpr int kWrongInput = 2;  // or wrong usage

class Command {
 public:
  virtual ~Command() = default;

  virtual std::string name() const = 0;
  virtual std::string summary() const = 0;  // one line
  virtual std::string example() const = 0;  // shown at the end of --help
  virtual void describe(Options& options) = 0;
  // Of a command that starts a program: its positional words. What stands behind -- comes here as it was typed, because
  // CLI11 takes "[1,2]" for two words.
  virtual std::vector<std::string>* program_words() { return nullptr; }
  virtual int run(Terminal& terminal) = 0;
};

using Commands = std::vector<std::unique_ptr<Command>>;

// Parses the command line, runs one command and returns its exit status.
int run_command_line(const Commands& commands, int argc, char** argv, Terminal& terminal);

// Prints "dpm statistics: <what>" on stderr and returns the exit status for wrong input.
int refuse(Terminal& terminal, const Command& command, const Error& error);

}  // namespace dpm::cli
