#include "cli/command.hpp"

#include "text/printable.hpp"

namespace dpm::cli {

int refuse(Terminal& terminal, const Command& command, const Error& error) {
  terminal.err << "dpm " << command.name() << ": " << printable_lines(error.what) << '\n';
  return kWrongInput;
}

}  // namespace dpm::cli
