#include "filter/scripts/event_script.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "filter/scripts/definition_table.hpp"
#include "model/lower_case.hpp"

namespace dpm {

Result<EventScript> parse_event_script(const std::string& file, std::string_view text) {
  DefinitionTable table(DefinitionTable::Again::is_refused);
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto read = table.read_line(text.substr(0, end), line);
    if (read.mistake) return Error{fmt::format("{}:{}:{}: {}", file, line, read.mistake->column, read.mistake->what)};
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return table.take();
}

bool is_meant(const EventScript& script, const EventDefinition& event, std::string_view machine,
              std::string_view program, std::uint32_t count) {
  const ProcessDefinition& process = script.processes[event.process];
  return event.is_defined && process.program == program && (process.count == 0 || process.count == count) &&
         is_on_machine(event, machine);
}

bool is_on_machine(const EventDefinition& event, std::string_view machine) {
  return event.machine == "*" || lower_case(event.machine) == lower_case(machine);
}

}  // namespace dpm
