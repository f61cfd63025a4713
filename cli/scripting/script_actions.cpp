#include "cli/scripting/script_actions.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <set>

#include "backends/linux/custody/keeper/control_socket.hpp"
#include "model/counted.hpp"

namespace dpm::cli {

std::vector<std::string> ScriptActions::perform(const HighLevelOccurrence& found) {
  std::vector<std::string> said;
  for (const HighLevelAction& action : watch_.script().high_level[found.event].actions) {
    switch (action.kind) {
      case HighLevelActionKind::report:
      case HighLevelActionKind::count:
      case HighLevelActionKind::snapshot:
        break;
      case HighLevelActionKind::stop:
        said.push_back(stop());
        break;
      case HighLevelActionKind::flags:
        for (std::string& text : set_flags(found, action.flags)) said.push_back(std::move(text));
        break;
      case HighLevelActionKind::on:
      case HighLevelActionKind::off: {
        const bool is_on = action.kind == HighLevelActionKind::on;
        watch_.switch_event(action.event, is_on);
        said.push_back(fmt::format("event {} is {}", watch_.script().events[action.event].name, is_on ? "on" : "off"));
      }
    }
  }
  return said;
}

// The job is what the script looks at.
std::string ScriptActions::stop() const {
  std::vector<std::uint32_t> stopped;
  for (const std::size_t program : watch_.running()) {
    const std::uint32_t pid = watch_.programs()[program].pid;
    if (::kill(static_cast<pid_t>(pid), SIGSTOP) == 0) stopped.push_back(pid);
  }
  if (stopped.empty()) return "none of the programs that the script names still runs: nothing was stopped";
  return fmt::format("stopped {}; to continue: kill -CONT {}", counted(stopped.size(), "process"),
                     fmt::join(stopped, " "));
}

std::vector<std::string> ScriptActions::set_flags(const HighLevelOccurrence& found, const std::string& flags) const {
  std::vector<std::string> said;
  std::set<std::uint32_t> pids;
  for (const PrimitiveOccurrence& part : found.parts) pids.insert(watch_.programs()[part.process].pid);
  for (const std::uint32_t pid : pids) {
    const auto set = ask_meter(pid, "flags " + flags);
    said.push_back(set ? fmt::format("meter flags of process {} are {}", pid, *set)
                       : fmt::format("the meter flags of process {} were not set: {}", pid, set.error().what));
  }
  return said;
}

}  // namespace dpm::cli
