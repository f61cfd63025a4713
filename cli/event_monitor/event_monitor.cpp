#include "cli/event_monitor/event_monitor.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "cli/scripting/script_results.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

using Kind = DefinitionTable::Kind;

constexpr std::size_t kLinesBytesMax = 200'000;  // of EventsState, below what one message holds

// Takes the first word off.
std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

// For a message that holds 16 kB of text.
std::string bounded(std::string text) {
  constexpr std::size_t kMost = 15'000;
  if (text.size() <= kMost) return text;
  text.resize(text.rfind('\n', kMost) == std::string::npos ? kMost : text.rfind('\n', kMost));
  return text + "\n  ...";
}

}  // namespace

EventMonitor::EventMonitor(ProgramFolder folder, const std::string& machine)
    : table_(DefinitionTable::Again::replaces),
      watch_(table_.script(), std::move(folder), machine, {}),
      evaluation_(
          watch_, [this](const HighLevelOccurrence& found) { return act(found); },
          [this](const HighLevelOccurrence& found, const std::string& text) { keep(found, text); }, false) {}

control::ReplyBody EventMonitor::change(const control::ChangeEvents& request) {
  std::string_view left = request.changes;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    if (std::string why = perform(left.substr(0, end)); !why.empty()) return control::Refused{std::move(why)};
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return control::Done{};
}

std::string EventMonitor::perform(std::string_view change) {
  const std::string_view verb = take_word(change);
  if (verb == "define") return define(change);
  if (verb == "undefine") return undefine(change);
  if (verb == "on" || verb == "off") return switch_event(change, verb == "on");
  if (verb != "send") return fmt::format("no change '{}'", verb);
  sends_all_ = change == "all";
  return "";
}

std::string EventMonitor::define(std::string_view line) {
  const auto read = table_.read_line(line, 0);
  if (read.mistake) return fmt::format("column {}: {}", read.mistake->column, read.mistake->what);
  if (read.definition) apply(*read.definition);
  return "";
}

// What does not exist any more is undefined already: with the process that it stood on.
std::string EventMonitor::undefine(std::string_view what) {
  static const std::map<std::string_view, Kind> kKinds = {
      {"process", Kind::process}, {"event", Kind::event}, {"region", Kind::region}, {"when", Kind::high_level}};
  const auto kind = kKinds.find(take_word(what));
  if (kind == kKinds.end()) return "only a process, event, region or when is undefined";
  if (const auto found = table_.find(kind->second, what))
    for (const auto& gone : table_.undefine(*found)) apply(gone);
  return "";
}

std::string EventMonitor::switch_event(std::string_view name, bool is_on) {
  const auto found = table_.find(Kind::event, name);
  if (!found) return fmt::format("no event '{}' is defined there", name);
  watch_.switch_event(found->number, is_on);
  return "";
}

void EventMonitor::apply(const DefinitionTable::Definition& definition) {
  switch (definition.kind) {
    case Kind::process:
      if (table_.script().processes[definition.number].is_defined) watch_.expect(definition.number);
      for (std::size_t e = 0; e < table_.script().events.size(); ++e)
        if (table_.script().events[e].process == definition.number) watch_.redefine(e);
      return;
    case Kind::event:
      return watch_.redefine(definition.number);
    case Kind::region:
      return;
    case Kind::high_level:
      return evaluation_.redefine(definition.number);
  }
}

// Jobs and flags are the controller's; it is told that the event happened.
std::vector<std::string> EventMonitor::act(const HighLevelOccurrence& found) {
  std::vector<std::string> said;
  for (const HighLevelAction& action : table_.script().high_level[found.event].actions) {
    const bool is_on = action.kind == HighLevelActionKind::on;
    if (action.kind == HighLevelActionKind::stop || action.kind == HighLevelActionKind::flags)
      said.push_back(fmt::format("the controller is asked for {}",
                                 action.kind == HighLevelActionKind::stop ? "stop" : "flags " + action.flags));
    if (!is_on && action.kind != HighLevelActionKind::off) continue;
    watch_.switch_event(action.event, is_on);
    said.push_back(fmt::format("event {} is {}", table_.script().events[action.event].name, is_on ? "on" : "off"));
  }
  return said;
}

void EventMonitor::keep(const HighLevelOccurrence& found, const std::string& text) {
  const std::uint32_t pid = found.parts.empty() ? 0 : watch_.programs()[found.parts.front().process].pid;
  seen_.events.push_back({table_.script().high_level[found.event].name, true, static_cast<std::uint64_t>(found.time_ns),
                          pid, 0, false, bounded(text.substr(0, text.find_last_not_of('\n') + 1))});
}

control::EventsSeen EventMonitor::look(std::int64_t before_ns) {
  const auto occurrences = watch_.take();
  if (sends_all_)
    for (const Occurrence& found : occurrences)
      seen_.events.push_back({table_.script().events[found.event].name, false, found.time_ns,
                              watch_.programs()[found.program].pid, found.value.bits(), found.value.is_big(),
                              bounded(occurrence_text(found, watch_))});
  evaluation_.add(occurrences, before_ns);
  for (const std::string& complaint : watch_.take_complaints()) seen_.warnings.push_back(bounded(printable(complaint)));
  return std::exchange(seen_, {});
}

control::EventsState EventMonitor::state() const {
  control::EventsState state;
  const EventScript& script = table_.script();
  const auto counts = watch_.counts();
  std::string lines;
  for (std::size_t e = 0; e < counts.size(); ++e) {
    state.seen += counts[e].seen;
    state.lost += counts[e].lost;
    if (!script.events[e].is_defined) continue;
    ++state.definitions;
    const EventDefinition& event = script.events[e];
    if (lines.size() < kLinesBytesMax / 2)
      lines += fmt::format("event {}: {} on {} at {}.{}: {} seen, {} lost\n", event.name,
                           event.meter_event ? name_of(*event.meter_event) : monitor::kActionNames[event.action].name,
                           event.object, script.processes[event.process].name, event.function, counts[e].seen,
                           counts[e].lost);
  }
  for (const HighLevelEvent& event : script.high_level) state.definitions += event.is_defined;
  for (const std::size_t p : watch_.running()) {
    ++state.programs;
    const WatchedProgram& program = watch_.programs()[p];
    if (lines.size() < kLinesBytesMax)
      lines += fmt::format("process {}: {}[{}] records {}\n", program.pid, program.program, program.count,
                           watch_.wanted_text(p));
  }
  state.lost += watch_.lost_otherwise();
  state.lines = std::move(lines);
  state.backlog_most = watch_.backlog().most_records();
  state.backlog_last = watch_.backlog().last_records();
  state.backlog_longest_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(0, watch_.backlog().longest_ns()));
  return state;
}

}  // namespace dpm::cli
