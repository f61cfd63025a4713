#include "cli/scripting/script_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "model/nearest_name.hpp"

namespace dpm::cli {
namespace {

constexpr std::size_t kUnmetTold = 50;               // of a script of many lines: each costs a search for near names
constexpr std::size_t kDeclaredRemembered = 10'000;  // objects, for near names

std::string_view kind_name(monitor::Kind kind) {
  const auto found = std::ranges::find(monitor::kActionNames, kind, &monitor::ActionName::kind);
  return found == monitor::kActionNames.end() ? "something unknown" : found->kind_name;
}

monitor::Action bit_of(const EventDefinition& event) { return monitor::kActionNames[event.action].action; }

std::uint64_t lost_otherwise_in(const InstrumentedProgram& program) {
  const InstrumentedLosses losses = program.losses();
  return losses.damaged + losses.without_ring;
}

std::string place_text(std::string_view object, std::string_view function) {
  return fmt::format("{} in {}", object, function);
}

}  // namespace

ScriptWatch::ScriptWatch(const EventScript& script, ProgramFolder folder, std::string machine,
                         const std::vector<std::string>& command, std::set<std::uint32_t> only)
    : script_(script),
      folder_(std::move(folder)),
      machine_(std::move(machine)),
      only_(std::move(only)),
      counts_(script_.events.size()),
      is_met_(script_.events.size()),
      is_off_(script_.events.size()),
      place_of_(script_.events.size()),
      probes_(probed_programs(command)) {
  for (std::size_t event = 0; event < script_.events.size(); ++event) {
    place_of_[event] = place_of(event);
    if (!place_of_[event].empty()) events_by_place_[place_of_[event]].push_back(event);
  }
}

// "" for what no object of a program can tell.
std::string ScriptWatch::place_of(std::size_t event) const {
  const EventDefinition& definition = script_.events[event];
  if (!definition.is_defined || definition.meter_event) return "";
  return place_text(definition.object, definition.function);
}

void ScriptWatch::expect(std::size_t process) { probes_.expect(script_.processes[process].program); }

void ScriptWatch::redefine(std::size_t event) {
  if (event >= counts_.size()) {
    counts_.resize(event + 1);
    is_met_.resize(event + 1);
    is_off_.resize(event + 1);
    place_of_.resize(event + 1);
  }
  const std::string before = std::exchange(place_of_[event], place_of(event));
  const std::string& now = place_of_[event];
  is_met_[event] = is_off_[event] = false;
  // First, because it may take long: rings that fill meanwhile would lose events.
  probes_.redefine(event, probe_for(event));
  if (before != now && !before.empty()) std::erase(events_by_place_[before], event);
  if (before != now && !now.empty()) events_by_place_[now].push_back(event);
  for (Running& running : running_)
    for (const std::string* place : {&before, &now}) {
      const auto objects = running.objects.find(*place);
      if (objects == running.objects.end()) continue;
      for (const std::size_t object : objects->second) want(running, object);
      if (before == now) break;
    }
}

void ScriptWatch::switch_event(std::size_t event, bool is_on) {
  if (is_off_[event] == !is_on) return;
  is_off_[event] = !is_on;
  for (Running& running : running_)
    if (const auto objects = running.objects.find(place_of_[event]); objects != running.objects.end())
      for (const std::size_t object : objects->second) want(running, object);
  probes_.redefine(event, probe_for(event));
}

std::vector<std::size_t> ScriptWatch::running() const {
  std::vector<std::size_t> programs;
  for (const Running& running : running_) programs.push_back(running.program);
  for (const std::uint32_t pid : probes_.processes())
    if (const auto known = probed_.find(pid); known != probed_.end()) programs.push_back(known->second.program);
  return programs;
}

std::span<const Occurrence> ScriptWatch::take() {
  occurrences_.clear();
  for (ProgramFolder::Found& found : folder_.take_new(complaints_)) meet(std::move(found));
  take_from_probes();
  answer_others();
  for (Running& running : running_) {
    running.has_ended = running.found.program.has_ended();  // asked first: what it wrote before that is taken now
    take_from(running);
  }
  std::erase_if(running_, [&](const Running& running) {
    if (!running.has_ended) return false;
    folder_.remove(running.found.file_name);
    add_losses(running, counts_);
    lost_otherwise_ += lost_otherwise_in(running.found.program);
    return true;
  });
  note_backlog();
  return occurrences_;
}

void ScriptWatch::note_backlog() {
  if (occurrences_.empty()) return;
  const auto oldest = std::ranges::min_element(occurrences_, {}, &Occurrence::time_ns);
  const auto now = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  const auto records = static_cast<std::uint64_t>(
      std::ranges::count_if(occurrences_, [](const Occurrence& found) { return !found.is_again; }));
  backlog_.note(records, now - static_cast<std::int64_t>(oldest->time_ns));
}

void ScriptWatch::meet(ProgramFolder::Found found) {
  const InstrumentedProgram& program = found.program;
  if (!is_chosen(program)) return others_.push_back(std::move(found));
  const std::size_t place = add_program(program.program(), program.pid(), program.parent());
  running_.push_back({std::move(found), place, {}});
}

bool ScriptWatch::is_chosen(const InstrumentedProgram& program) {
  if (only_.empty() || only_.contains(program.pid())) return true;
  if (!only_.contains(program.parent())) return false;
  only_.insert(program.pid());
  return true;
}

// They would wait for an answer where they declare an object.
void ScriptWatch::answer_others() {
  for (ProgramFolder::Found& other : others_)
    if (other.program.take_objects() != 0) other.program.answer();
  std::erase_if(others_, [&](const ProgramFolder::Found& other) {
    if (!other.program.has_ended()) return false;
    folder_.remove(other.file_name);
    return true;
  });
}

std::size_t ScriptWatch::add_program(const std::string& program, std::uint32_t pid, std::uint32_t parent) {
  programs_.push_back({program, pid, parent, ++counts_by_program_[program]});
  return programs_.size() - 1;
}

std::string ScriptWatch::wanted_text(std::size_t program) const {
  std::set<std::size_t> events;
  for (const Running& running : running_)
    if (running.program == program)
      for (const auto& wanting : running.events)
        for (const Wanting& each : wanting) events.insert(each.event);
  for (const auto& [pid, process] : probed_)
    if (process.program == program) events.insert(process.events.begin(), process.events.end());
  std::string text;
  for (const std::size_t event : events) text += (text.empty() ? "" : " ") + script_.events[event].name;
  return text.empty() ? "nothing" : text;
}

ProbedPrograms ScriptWatch::probed_programs(const std::vector<std::string>& command) const {
  std::vector<ProbedPrograms::Wanted> wanted;
  for (std::size_t event = 0; event < script_.events.size(); ++event) wanted.push_back(probe_for(event));
  return {std::move(wanted), command, only_};
}

ProbedPrograms::Wanted ScriptWatch::probe_for(std::size_t e) const {
  const EventDefinition& event = script_.events[e];
  // A probe cannot tell an event of the meter.
  const bool has_none = event.meter_event || !event.is_defined || is_off_[e];
  return {&monitor::kActionNames[event.action], has_none ? "" : script_.processes[event.process].program, event.object,
          event.function};
}

void ScriptWatch::take_from_probes() {
  probes_.take({[this](const std::string& program, std::uint32_t pid, std::uint32_t parent,
                       const std::set<std::size_t>& events) { meet_probed(program, pid, parent, events); },
                [this](std::uint32_t pid, const std::set<std::size_t>& redefined, const std::set<std::size_t>& events) {
                  Probed& process = probed_.at(pid);
                  for (const std::size_t event : redefined) set_probed(process, event, events.contains(event));
                },
                [this](const ProbedPrograms::Hit& hit) {
                  const Probed& process = probed_.at(hit.process);
                  if (!process.events.contains(hit.event)) return;
                  occurrences_.push_back({hit.time_ns, hit.event, process.program, hit.thread, hit.value});
                  ++counts_[hit.event].reported;
                }});
  for (std::string& complaint : probes_.take_complaints()) complaints_.push_back(std::move(complaint));
}

void ScriptWatch::meet_probed(const std::string& program, std::uint32_t pid, std::uint32_t parent,
                              const std::set<std::size_t>& events) {
  Probed& process = probed_[pid] = {add_program(program, pid, parent), {}};
  for (const std::size_t event : events) set_probed(process, event, true);
}

void ScriptWatch::set_probed(Probed& process, std::size_t event, bool has_probe) {
  const WatchedProgram& program = programs_[process.program];
  process.events.erase(event);
  if (!has_probe || !is_meant(script_, script_.events[event], machine_, program.program, program.count)) return;
  process.events.insert(event);
  is_met_[event] = true;
}

void ScriptWatch::add_probe_losses(std::vector<EventCount>& counts) const {
  for (const ProbedPrograms::Loss& loss : probes_.losses()) {
    const auto process = probed_.find(loss.process);
    if (process == probed_.end()) continue;
    for (const std::size_t event : loss.events)
      if (process->second.events.contains(event)) counts[event].lost += loss.records;
  }
}

void ScriptWatch::take_from(Running& running) {
  look_at_objects(running);
  for (const monitor::Record& record : running.found.program.take_records()) {
    const bool is_unsigned = !running.found.program.objects()[record.object].is_signed;
    const auto value = WholeNumber::of_bits(static_cast<std::uint64_t>(record.value), is_unsigned);
    bool is_again = false;
    for (const auto& [event, action, dropped_before] : running.events[record.object]) {
      if (static_cast<std::uint32_t>(action) != record.action) continue;
      occurrences_.push_back({record.time_ns, event, running.program, record.thread, value, is_again});
      is_again = true;
      ++counts_[event].reported;
    }
  }
}

void ScriptWatch::look_at_objects(Running& running) {
  InstrumentedProgram& program = running.found.program;
  const std::size_t added = program.take_objects();
  for (std::size_t object = program.objects().size() - added; object < program.objects().size(); ++object)
    meet_object(running, object);
  if (added != 0) program.answer();
  if (running.is_full || program.objects().size() < monitor::kObjectsMax || program.losses().objects_refused == 0)
    return;
  running.is_full = true;
  complaints_.push_back(fmt::format("{} declares more than {} objects: the others are silent",
                                    programs_[running.program].program, monitor::kObjectsMax));
}

void ScriptWatch::meet_object(Running& running, std::size_t object) {
  const InstrumentedObject& declared = running.found.program.objects()[object];
  const std::string place = place_text(declared.name, declared.function);
  running.objects[place].push_back(object);
  running.events.emplace_back();
  if (declared_.size() < kDeclaredRemembered) declared_.push_back(place);
  want(running, object);
  if (declared.is_cut)
    complaints_.push_back(fmt::format("{} of {}: a name has more than {} bytes and is cut", place,
                                      programs_[running.program].program, monitor::kNameBytes - 1));
}

// Tells the program which actions of the object are wanted now. What its rings refused until then stays counted.
void ScriptWatch::want(Running& running, std::size_t object) {
  const InstrumentedObject& declared = running.found.program.objects()[object];
  std::vector<Wanting> before = std::exchange(running.events[object], {});
  std::uint32_t wanted = 0;
  const auto found = events_by_place_.find(place_text(declared.name, declared.function));
  if (found != events_by_place_.end())
    for (const std::size_t event : found->second) {
      if (!is_wanted(running, object, event)) continue;
      const monitor::Action action = bit_of(script_.events[event]);
      wanted |= static_cast<std::uint32_t>(action);
      const auto known = std::ranges::find_if(
          before, [&](const Wanting& wanting) { return wanting.event == event && wanting.action == action; });
      if (known == before.end()) {
        running.events[object].push_back({event, action, running.found.program.dropped(object, action)});
        continue;
      }
      running.events[object].push_back(*known);
      before.erase(known);
    }
  running.found.program.want(object, wanted);
  for (const Wanting& gone : before)
    counts_[gone.event].lost += running.found.program.dropped(object, gone.action) - gone.dropped_before;
}

bool ScriptWatch::is_wanted(const Running& running, std::size_t object, std::size_t e) {
  const WatchedProgram& program = programs_[running.program];
  const InstrumentedObject& declared = running.found.program.objects()[object];
  const EventDefinition& event = script_.events[e];
  if (!is_meant(script_, event, machine_, program.program, program.count)) return false;
  const monitor::ActionName& action = monitor::kActionNames[event.action];
  const bool fits = action.kind == declared.kind;
  if (!fits && !is_met_[e])
    complaints_.push_back(fmt::format("event '{}': {} of {} is declared as {}, and {} is an action of {}", event.name,
                                      place_of_[e], program.program, kind_name(declared.kind), action.name,
                                      action.kind_name));
  is_met_[e] = true;
  return fits && !is_off_[e];
}

void ScriptWatch::add_losses(const Running& running, std::vector<EventCount>& counts) const {
  for (std::size_t object = 0; object < running.events.size(); ++object)
    for (const auto& [event, action, dropped_before] : running.events[object])
      counts[event].lost += running.found.program.dropped(object, action) - dropped_before;
}

std::vector<std::string> ScriptWatch::take_complaints() { return std::exchange(complaints_, {}); }

std::vector<EventCount> ScriptWatch::counts() const {
  std::vector<EventCount> counts = counts_;
  for (const Running& running : running_) add_losses(running, counts);
  add_probe_losses(counts);
  for (EventCount& count : counts) count.seen = count.reported + count.lost;
  return counts;
}

std::uint64_t ScriptWatch::lost_otherwise() const {
  std::uint64_t lost = lost_otherwise_ + probes_.lost_otherwise();
  for (const Running& running : running_) lost += lost_otherwise_in(running.found.program);
  return lost;
}

std::vector<std::string> ScriptWatch::unmet() const {
  std::vector<std::string> texts;
  std::size_t untold = 0;
  for (std::size_t event = 0; event < script_.events.size(); ++event) {
    if (is_met_[event] || !script_.events[event].is_defined) continue;
    if (texts.size() < kUnmetTold)
      texts.push_back(unmet_text(event));
    else
      ++untold;
  }
  if (untold > 0) texts.push_back(fmt::format("{} more events have no object", untold));
  return texts;
}

std::string ScriptWatch::unmet_text(std::size_t e) const {
  const EventDefinition& event = script_.events[e];
  if (event.meter_event)
    return fmt::format(
        "event '{}': {} is an event of the meter: record a trace with dpm meter, and look for it with "
        "dpm events --script",
        event.name, name_of(*event.meter_event));
  const ProcessDefinition& process = script_.processes[event.process];
  if (!probes_.reason(e).empty()) return fmt::format("event '{}': {}", event.name, probes_.reason(e));
  if (!is_on_machine(event, machine_))
    return fmt::format("event '{}': it is of machine {}, and this is {}{}", event.name, event.machine, machine_,
                       did_you_mean(event.machine, std::array{machine_}));
  if (std::ranges::none_of(programs_, [&](const WatchedProgram& program) {
        return is_meant(script_, event, machine_, program.program, program.count);
      })) {
    std::vector<std::string> programs;
    for (const auto& [program, count] : counts_by_program_) programs.push_back(program);
    const std::string which =
        process.count == 0 ? process.program : fmt::format("{}[{}]", process.program, process.count);
    return fmt::format("event '{}': process {} of {} was not seen{}", event.name, process.name, which,
                       did_you_mean(process.program, programs));
  }
  const std::string place = place_text(event.object, event.function);
  return fmt::format("event '{}': {} did not declare {}{}", event.name, process.program, place,
                     did_you_mean(place, declared_));
}

}  // namespace dpm::cli
