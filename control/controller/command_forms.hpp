// The controller's commands (metering report 4.3): names, aliases, parameters and help texts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace dpm::control {

enum class Verb {
  help,
  filter,
  newjob,
  addprocess,
  acquire,
  setflags,
  startjob,
  stopjob,
  removejob,
  removeprocess,
  jobs,
  input,
  endinput,
  wait,
  getlog,
  watch,
  unwatch,
  endfilter,
  removefilter,
  files,
  removefiles,
  adopt,
  source,
  sink,
  define,
  undefine,
  read,
  show,
  remote,
  log,
  stop,
  ps,
  die,
};

// What a parameter is, for completion.
enum class Parameter { none, command, filter, machine, job, process, flag, local_file, text };

struct CommandForm {
  Verb verb;
  std::string_view name;
  std::vector<std::string_view> aliases;
  std::string_view parameters;  // as in the report: "<jobname> [<filtername>]"
  std::string_view summary;
  std::size_t least = 0, most = 0;  // parameters
  std::vector<Parameter> kinds;     // of the parameters; the last one also of all that follow
};

inline constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

std::span<const CommandForm> command_forms();

// By name or alias, in upper or lower case. The error for an unknown word names the nearest command.
Result<const CommandForm*> find_command(std::string_view word);

// "usage: newjob <jobname> [<filtername>]"
std::string usage(const CommandForm& form);

// An error text with the usage if the number of parameters is wrong; else empty.
std::string wrong_parameters(const CommandForm& form, std::size_t count);

// Of one command: its part of the menu, and its help.
std::string menu_text(const CommandForm& form);
std::string help_text(const CommandForm& form);
// "meter flags: send ..."
std::string flags_text();

}  // namespace dpm::control
