#include "cli/scripting/script_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/nearest_name.hpp"

namespace dpm::cli {
namespace {

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

ScriptWatch::ScriptWatch(EventScript script, ProgramFolder folder, std::string machine)
    : script_(std::move(script)),
      folder_(std::move(folder)),
      machine_(std::move(machine)),
      counts_(script_.events.size()),
      is_met_(script_.events.size()) {
  for (std::size_t event = 0; event < script_.events.size(); ++event)
    events_by_place_[place_text(script_.events[event].object, script_.events[event].function)].push_back(event);
}

std::span<const Occurrence> ScriptWatch::take() {
  occurrences_.clear();
  for (ProgramFolder::Found& found : folder_.take_new(complaints_)) meet(std::move(found));
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
  return occurrences_;
}

void ScriptWatch::meet(ProgramFolder::Found found) {
  const InstrumentedProgram& program = found.program;
  programs_.push_back({program.program(), program.pid(), program.parent(), ++counts_by_program_[program.program()]});
  running_.push_back({std::move(found), programs_.size() - 1, {}});
}

void ScriptWatch::take_from(Running& running) {
  look_at_objects(running);
  for (const monitor::Record& record : running.found.program.take_records()) {
    for (const std::size_t event : running.events[record.object]) {
      if (static_cast<std::uint32_t>(bit_of(script_.events[event])) != record.action) continue;
      occurrences_.push_back({record.time_ns, event, running.program, record.thread, record.value});
      ++counts_[event].reported;
    }
  }
}

void ScriptWatch::look_at_objects(Running& running) {
  InstrumentedProgram& program = running.found.program;
  const std::size_t added = program.take_objects();
  for (std::size_t object = program.objects().size() - added; object < program.objects().size(); ++object)
    program.want(object, wanted_of(running, object));
  if (added != 0) program.answer();
  if (running.is_full || program.objects().size() < monitor::kObjectsMax || program.losses().objects_refused == 0)
    return;
  running.is_full = true;
  complaints_.push_back(fmt::format("{} declares more than {} objects: the others are silent",
                                    programs_[running.program].program, monitor::kObjectsMax));
}

std::uint32_t ScriptWatch::wanted_of(Running& running, std::size_t object) {
  const WatchedProgram& program = programs_[running.program];
  const InstrumentedObject& declared = running.found.program.objects()[object];
  running.events.emplace_back();
  const std::string place = place_text(declared.name, declared.function);
  if (declared_.size() < kDeclaredRemembered) declared_.push_back(place);
  const auto found = events_by_place_.find(place);
  std::uint32_t wanted = 0;
  for (const std::size_t e : found == events_by_place_.end() ? std::vector<std::size_t>{} : found->second) {
    const EventDefinition& event = script_.events[e];
    if (!is_meant(script_, event, machine_, program.program, program.count)) continue;
    const monitor::ActionName& action = monitor::kActionNames[event.action];
    if (action.kind != declared.kind) {
      if (!is_met_[e])
        complaints_.push_back(fmt::format("event '{}': {} of {} is declared as {}, and {} is an action of {}",
                                          event.name, place, program.program, kind_name(declared.kind), action.name,
                                          action.kind_name));
      is_met_[e] = true;
      continue;
    }
    is_met_[e] = true;
    running.events.back().push_back(e);
    wanted |= static_cast<std::uint32_t>(bit_of(event));
  }
  if (declared.is_cut)
    complaints_.push_back(fmt::format("{} of {}: a name has more than {} bytes and is cut", place, program.program,
                                      monitor::kNameBytes - 1));
  return wanted;
}

void ScriptWatch::add_losses(const Running& running, std::vector<EventCount>& counts) const {
  for (std::size_t object = 0; object < running.events.size(); ++object)
    for (const std::size_t event : running.events[object])
      counts[event].lost += running.found.program.dropped(object, bit_of(script_.events[event]));
}

std::vector<std::string> ScriptWatch::take_complaints() { return std::exchange(complaints_, {}); }

std::vector<EventCount> ScriptWatch::counts() const {
  std::vector<EventCount> counts = counts_;
  for (const Running& running : running_) add_losses(running, counts);
  for (EventCount& count : counts) count.seen = count.reported + count.lost;
  return counts;
}

std::uint64_t ScriptWatch::lost_otherwise() const {
  std::uint64_t lost = lost_otherwise_;
  for (const Running& running : running_) lost += lost_otherwise_in(running.found.program);
  return lost;
}

std::vector<std::string> ScriptWatch::unmet() const {
  std::vector<std::string> texts;
  for (std::size_t event = 0; event < script_.events.size(); ++event)
    if (!is_met_[event]) texts.push_back(unmet_text(event));
  return texts;
}

std::string ScriptWatch::unmet_text(std::size_t e) const {
  const EventDefinition& event = script_.events[e];
  const ProcessDefinition& process = script_.processes[event.process];
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
