#include "control/controller/command_forms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "control/controller/flag_names.hpp"
#include "model/lower_case.hpp"
#include "model/nearest_name.hpp"

namespace dpm::control {
namespace {

using P = Parameter;

// In the order of the report; additional commands stand beside related ones.
const std::vector<CommandForm>& forms() {
  static const std::vector<CommandForm> table = {
      {Verb::help, "help", {}, "[<command>]", "this menu, or the help of one command", 0, 1, {P::command}},
      {Verb::filter,
       "filter",
       {},
       "[<filtername>] [<machine>] [<filterfile>] [<descriptions>] [<templates>] [--port N|N-M] [--through controller]",
       "create a filter (default: here, the standard one), or list the filters there are",
       0,
       9,
       {P::none, P::machine, P::local_file, P::local_file, P::local_file}},
      {Verb::newjob,
       "newjob",
       {},
       "<jobname> [<filtername>] [--source auto|ebpf|notify] [--placement FILE]",
       "create a job; its processes report to the filter (default: the first)",
       1,
       6,
       {P::none, P::filter}},
      {Verb::addprocess,
       "addprocess",
       {"add"},
       "<jobname> <machines> <processfile> [<parm1 parm2 ...>] [< <inputfile>]",
       "create a process of the job on each of the machines; it does not begin before startjob",
       3,
       kAnyNumber,
       {P::job, P::machine, P::local_file}},
      {Verb::acquire,
       "acquire",
       {},
       "<jobname> <machine> <process identifier>",
       "meter a process that runs already, as part of the job",
       3,
       3,
       {P::job, P::machine, P::none}},
      {Verb::setflags,
       "setflags",
       {},
       "<jobname> <flag1 flag2 ...>",
       "add meter flags to the job and all its processes; -flag takes one away",
       2,
       kAnyNumber,
       {P::job, P::flag}},
      {Verb::startjob,
       "startjob",
       {},
       "<jobname> [--place]",
       "start the processes that are new or stopped; --place says which are not where the job's placement has them",
       1,
       2,
       {P::job}},
      {Verb::stopjob, "stopjob", {}, "<jobname>", "stop the processes that are new or running", 1, 1, {P::job}},
      {Verb::removejob,
       "removejob",
       {"rmjob"},
       "<jobname>",
       "forget a job whose processes are killed, stopped (they are killed) or acquired (released)",
       1,
       1,
       {P::job}},
      {Verb::removeprocess,
       "removeprocess",
       {"rmprocess"},
       "<jobname> <process>",
       "forget one process, under the same conditions",
       2,
       2,
       {P::job, P::process}},
      {Verb::jobs,
       "jobs",
       {},
       "[<jobname1 jobname2 ...>]",
       "list the jobs, or the processes of some",
       0,
       kAnyNumber,
       {P::job}},
      {Verb::input,
       "input",
       {},
       "<jobname> <process> [<text ...>]",
       "send a line to the standard input of a process",
       2,
       kAnyNumber,
       {P::job, P::process, P::text}},
      {Verb::endinput,
       "endinput",
       {},
       "<jobname> <process>",
       "end the standard input of a process",
       2,
       2,
       {P::job, P::process}},
      {Verb::wait,
       "wait",
       {},
       "[<jobname>] [<time>]",
       "wait until all processes of the job (default: of every job) have ended",
       0,
       2,
       {P::job, P::none}},
      {Verb::getlog,
       "getlog",
       {},
       "<filtername> <destination filename>, or <logname> <destination filename> <machine>",
       "fetch the log of a filter, or one that 'files <machine>' lists",
       2,
       3,
       {P::filter, P::local_file, P::machine}},
      {Verb::watch,
       "watch",
       {},
       "[<filtername>]",
       "show the log of a filter in a page for browsers while the filter writes it, or list the watched filters",
       0,
       1,
       {P::filter}},
      {Verb::unwatch, "unwatch", {}, "<filtername>", "end the page of a filter", 1, 1, {P::filter}},
      {Verb::endfilter,
       "endfilter",
       {},
       "<filtername>",
       "end a filter that no process reports to; then its log is complete",
       1,
       1,
       {P::filter}},
      {Verb::removefilter,
       "removefilter",
       {"rmfilter"},
       "<filtername>",
       "forget a filter that has ended or is given up; its log stays on its machine",
       1,
       1,
       {P::filter}},
      {Verb::files,
       "files",
       {},
       "[<machines1 machines2 ...>]",
       "list the logs and copied files that stay on machines, with their sizes (default: wherever you had some)",
       0,
       kAnyNumber,
       {P::machine}},
      {Verb::removefiles,
       "removefiles",
       {"rmfiles"},
       "<machines> <name1 name2 ...>",
       "remove these logs and copied files; or all, logs, copies: those that nothing uses",
       2,
       kAnyNumber,
       {P::machine, P::none}},
      {Verb::adopt,
       "adopt",
       {},
       "[<machines1 machines2 ...>]",
       "take over processes and filters that a disconnected controller left there (default: on every machine that has "
       "any)",
       0,
       kAnyNumber,
       {P::machine}},
      {Verb::source, "source", {}, "<filename>", "read commands from a file", 1, 1, {P::local_file}},
      {Verb::sink,
       "sink",
       {},
       "[<filename>]",
       "write output to the end of a file, or to the terminal again",
       0,
       1,
       {P::local_file}},
      {Verb::define,
       "define",
       {},
       "process|event|region|when ...",
       "from now on watch for this event inside programs, on all machines that it concerns",
       1,
       kAnyNumber,
       {P::none}},
      {Verb::undefine,
       "undefine",
       {},
       "[process|event|region|when] <name>",
       "forget a definition, and those that depend on it; programs stop recording it",
       1,
       2,
       {P::none}},
      {Verb::read, "read", {}, "<filename>", "read definitions from an event script", 1, 1, {P::local_file}},
      {Verb::show,
       "show",
       {},
       "process|event|support|machine [<name>]",
       "list definitions, the definitions that depend on processes, or machines with their load",
       1,
       2,
       {P::none, P::none}},
      {Verb::remote,
       "remote",
       {},
       "<machine> [event|process]",
       "list the events that a machine watches for, and those that each process there records",
       1,
       2,
       {P::machine, P::none}},
      {Verb::log,
       "log",
       {},
       "on|off|erase [<filename>]",
       "show events or not, save them to the end of a file, or erase that file",
       1,
       2,
       {P::none, P::local_file}},
      {Verb::stop,
       "stop",
       {},
       "[<machine>]",
       "stop watching for events on a machine, or on all; the programs continue",
       0,
       1,
       {P::machine}},
      {Verb::ps, "ps", {}, "[<parm1 parm2 ...>]", "the ps command of this machine", 0, kAnyNumber, {P::text}},
      {Verb::die, "die", {"exit", "bye"}, "", "leave; control-D does the same", 0, 0, {}},
  };
  return table;
}

std::string head(const CommandForm& form) {
  return std::string(form.name) + (form.parameters.empty() ? "" : " ") + std::string(form.parameters);
}

std::string alias_text(const CommandForm& form) {
  std::string text;
  for (const auto alias : form.aliases) text += (text.empty() ? " (also: " : ", ") + std::string(alias);
  return text.empty() ? text : text + ")";
}

std::string machines_text() {
  return "machines: red, red[1-16], red[1,3-5].lan, red,green, red[1-16]=2 (two on each), @FILE (the machines in a "
         "file), "
         "@all (those of --hosts, or those with processes); for addprocess also auto (that of the job's placement)";
}

}  // namespace

std::span<const CommandForm> command_forms() { return forms(); }

Result<const CommandForm*> find_command(std::string_view word) {
  const std::string name = lower_case(word);
  std::vector<std::string> known;
  for (const auto& form : forms()) {
    if (form.name == name || std::count(form.aliases.begin(), form.aliases.end(), name) > 0) return &form;
    known.emplace_back(form.name);
    for (const auto alias : form.aliases) known.emplace_back(alias);
  }
  const std::string meant = did_you_mean(name, known);
  return Error{fmt::format("no command '{}'{}", word, meant.empty() ? "; 'help' lists them" : meant)};
}

std::string usage(const CommandForm& form) { return "usage: " + head(form); }

std::string wrong_parameters(const CommandForm& form, std::size_t count) {
  if (count < form.least) return fmt::format("{} needs more parameters; {}", form.name, usage(form));
  if (count > form.most)
    return std::string(form.name) + (form.most == 0 ? " takes no parameters; " : " takes fewer parameters; ") +
           usage(form);
  return "";
}

std::string flags_text() {
  std::string text = "meter flags:";
  for (const auto& name : flag_names()) text += " " + name;
  return text + "; all; -flag takes one away";
}

std::string menu_text(const CommandForm& form) {
  return fmt::format("{}\n    {}{}", head(form), form.summary, alias_text(form));
}

std::string help_text(const CommandForm& form) {
  return menu_text(form) + (form.verb == Verb::setflags ? "\n    " + flags_text() : "") +
         (form.parameters.find("<machines") != std::string_view::npos ? "\n    " + machines_text() : "");
}

}  // namespace dpm::control
