#include "filter/scripts/definition_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <dpm/monitor/actions.hpp>

#include "filter/scripts/script_words.hpp"
#include "model/nearest_name.hpp"

namespace dpm {
namespace {

using monitor::kActionNames;
using Word = ScriptWord;
using Read = DefinitionTable::Read;

constexpr std::size_t place_of(DefinitionTable::Kind kind) { return static_cast<std::size_t>(kind); }

Read mistake(const Word& at, std::string what) { return {std::nullopt, ScriptMistake{at.column, std::move(what)}}; }

// Words that are empty here may be anything.
std::optional<ScriptMistake> wrong_form(const std::vector<Word>& words, const std::vector<std::string_view>& form,
                                        const char* usage) {
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (i < words.size() && (form[i].empty() || words[i].text == form[i])) continue;
    const std::size_t end = words.back().column + words.back().text.size();
    return ScriptMistake{i < words.size() ? words[i].column : end, fmt::format("expected: {}", usage)};
  }
  if (words.size() > form.size())
    return ScriptMistake{words[form.size()].column, fmt::format("expected nothing more: {}", usage)};
  return std::nullopt;
}

// In capitals, so that none can be taken for an action of libdpm.
std::optional<EventType> meter_event_named(std::string_view word) {
  const auto type = event_type_from_name(word);
  return type && name_of(*type) == word && !is_primitive(*type) ? type : std::nullopt;
}

std::string unknown_action(std::string_view word) {
  std::vector<std::string> valid;
  for (const monitor::ActionName& known : kActionNames) valid.emplace_back(known.name);
  std::vector<std::string> all = valid;
  for (const std::string_view name : event_type_names()) all.emplace_back(name);
  const std::string near = did_you_mean(word, all);
  return fmt::format("no action has the name '{}'{}", word,
                     near.empty() ? fmt::format("; the actions are {}", fmt::join(valid, ", ")) : near);
}

}  // namespace

DefinitionTable::Read DefinitionTable::read_line(std::string_view line, std::size_t number) {
  line_ = number;
  const std::vector<Word> words = words_of(line);
  if (words.empty() || words[0].text.front() == '#') return {};
  if (words[0].text == "process") return read_process(words);
  if (words[0].text == "event") return read_event(words);
  if (words[0].text == "region") return read_region(line);
  if (words[0].text == "when") return read_high_level(line);
  const std::vector<std::string> valid{"process", "event", "region", "when"};
  return mistake(words[0], fmt::format("a line begins with process, event, region, when or #, not with '{}'{}",
                                       words[0].text, did_you_mean(words[0].text, valid)));
}

std::optional<ScriptMistake> DefinitionTable::defined_twice(const char* kind, const Word& name,
                                                            std::size_t line) const {
  if (again_ == Again::replaces) return std::nullopt;
  return ScriptMistake{name.column, fmt::format("{} '{}' is defined on line {} already", kind, name.text, line)};
}

template <typename Definitions, typename New>
DefinitionTable::Read DefinitionTable::keep(Kind kind, Definitions& definitions, New definition) {
  auto& names = names_[place_of(kind)];
  auto& unused = unused_[place_of(kind)];
  const std::string name = definition.name;
  std::size_t number = definitions.size();
  if (const auto known = names.find(name); known != names.end()) {
    number = known->second;
  } else if (const auto before = unused.find(name); before != unused.end()) {
    number = before->second;
    unused.erase(before);
  }
  names[name] = number;
  definition.line = line_;
  if (number == definitions.size())
    definitions.push_back(std::move(definition));
  else
    definitions[number] = std::move(definition);
  return {Definition{kind, number}, std::nullopt};
}

DefinitionTable::Read DefinitionTable::read_process(const std::vector<Word>& words) {
  if (auto wrong = wrong_form(words, {"process", "", "from", ""}, "process NAME from PROGRAM[COUNT]"))
    return {std::nullopt, wrong};
  ProcessDefinition process;
  process.name = words[1].text;
  process.program = words[3].text;
  if (const std::size_t bracket = process.program.find('['); bracket != std::string::npos) {
    const std::string_view count = std::string_view(process.program).substr(bracket + 1);
    const auto [end, wrong] = std::from_chars(count.data(), count.data() + count.size(), process.count);
    if (wrong != std::errc() ||
        std::string_view(end, static_cast<std::size_t>(count.data() + count.size() - end)) != "]" || process.count == 0)
      return mistake({words[3].text.substr(bracket), words[3].column + bracket},
                     "the count of a process is a number from 1 in brackets: prog[3]");
    process.program.resize(bracket);
  }
  if (process.program.empty() || process.program.find('/') != std::string::npos)
    return mistake(words[3], "a program is named by its file, without folders");
  const auto& known = names_[place_of(Kind::process)];
  if (const auto found = known.find(process.name); found != known.end())
    if (auto twice = defined_twice("process", words[1], script_.processes[found->second].line))
      return {std::nullopt, twice};
  return keep(Kind::process, script_.processes, std::move(process));
}

DefinitionTable::Read DefinitionTable::read_event(const std::vector<Word>& words) {
  if (auto wrong = wrong_form(words, {"event", "", "is", "", "on", "", "at", ""},
                              "event NAME is ACTION on OBJECT at MACHINE.PROCESS.FUNCTION"))
    return {std::nullopt, wrong};
  EventDefinition event;
  event.name = words[1].text;
  event.object = words[5].text;
  const auto& known = names_[place_of(Kind::event)];
  if (const auto found = known.find(event.name); found != known.end())
    if (auto twice = defined_twice("event", words[1], script_.events[found->second].line)) return {std::nullopt, twice};
  const auto action = std::ranges::find(kActionNames, words[3].text, &monitor::ActionName::name);
  event.meter_event = meter_event_named(words[3].text);
  if (action == kActionNames.end() && !event.meter_event) return mistake(words[3], unknown_action(words[3].text));
  if (action != kActionNames.end()) event.action = static_cast<std::size_t>(action - kActionNames.begin());
  if (event.meter_event && event.object != "*")
    return mistake(words[5], fmt::format("the object of {} is *", words[3].text));
  if (auto wrong = read_place(words[7], event)) return {std::nullopt, wrong};
  return keep(Kind::event, script_.events, std::move(event));
}

// The names of machines have dots, those of processes and functions have none.
std::optional<ScriptMistake> DefinitionTable::read_place(const Word& place, EventDefinition& event) const {
  const std::size_t last = place.text.rfind('.');
  const std::size_t first = last == std::string_view::npos || last == 0 ? last : place.text.rfind('.', last - 1);
  if (last == std::string_view::npos || first == std::string_view::npos || first == 0 || last == first + 1 ||
      last + 1 == place.text.size())
    return ScriptMistake{place.column, "the place of an event is MACHINE.PROCESS.FUNCTION, with * for every machine"};
  event.machine = place.text.substr(0, first);
  event.function = place.text.substr(last + 1);
  const std::string name(place.text.substr(first + 1, last - first - 1));
  const auto& known = names_[place_of(Kind::process)];
  const auto process = known.find(name);
  if (process == known.end())
    return ScriptMistake{place.column + first + 1, fmt::format("process '{}' is not defined above{}", name,
                                                               did_you_mean(name, names(Kind::process)))};
  event.process = process->second;
  return std::nullopt;
}

DefinitionTable::Read DefinitionTable::read_region(std::string_view line) {
  auto parsed = parse_region(line, names_[place_of(Kind::event)]);
  if (auto* wrong = std::get_if<ScriptMistake>(&parsed)) return {std::nullopt, std::move(*wrong)};
  RegionDefinition region = std::get<RegionDefinition>(std::move(parsed));
  const std::vector<Word> words = words_of(line);
  if (script_.events[region.begin.event].process != script_.events[region.end.event].process)
    return mistake(words.back(), "a region begins and ends in the same process");
  const auto& known = names_[place_of(Kind::region)];
  if (const auto found = known.find(region.name); found != known.end())
    if (auto twice = defined_twice("region", words[1], script_.regions[found->second].line))
      return {std::nullopt, twice};
  return keep(Kind::region, script_.regions, std::move(region));
}

DefinitionTable::Read DefinitionTable::read_high_level(std::string_view line) {
  auto parsed = parse_high_level(line, names_[place_of(Kind::event)]);
  if (auto* wrong = std::get_if<ScriptMistake>(&parsed)) return {std::nullopt, std::move(*wrong)};
  HighLevelEvent event = std::get<HighLevelEvent>(std::move(parsed));
  const auto& known = names_[place_of(Kind::high_level)];
  if (const auto found = known.find(event.name); found != known.end())
    if (auto twice = defined_twice("event", words_of(line)[1], script_.high_level[found->second].line))
      return {std::nullopt, twice};
  return keep(Kind::high_level, script_.high_level, std::move(event));
}

std::optional<DefinitionTable::Definition> DefinitionTable::find(Kind kind, std::string_view name) const {
  const auto& known = names_[place_of(kind)];
  const auto found = known.find(std::string(name));
  if (found == known.end()) return std::nullopt;
  return Definition{kind, found->second};
}

std::optional<DefinitionTable::Definition> DefinitionTable::find(std::string_view name) const {
  for (const Kind kind : {Kind::process, Kind::event, Kind::region, Kind::high_level})
    if (const auto found = find(kind, name)) return found;
  return std::nullopt;
}

bool DefinitionTable::is_made_of(const HighLevelEvent& made, const std::vector<bool>& events) {
  const auto parts = primitive_events_of(made);
  return std::any_of(parts.begin(), parts.end(), [&](std::size_t event) { return events[event]; }) ||
         std::any_of(made.actions.begin(), made.actions.end(), [&](const HighLevelAction& action) {
           return (action.kind == HighLevelActionKind::on || action.kind == HighLevelActionKind::off) &&
                  events[action.event];
         });
}

std::vector<DefinitionTable::Definition> DefinitionTable::support(const Definition& definition) const {
  std::vector<bool> goes(script_.events.size());
  std::vector<Definition> found;
  for (std::size_t e = 0; e < script_.events.size(); ++e) {
    const bool is_of = definition.kind == Kind::process && script_.events[e].process == definition.number;
    goes[e] = script_.events[e].is_defined && (is_of || definition == Definition{Kind::event, e});
    if (goes[e] && is_of) found.push_back({Kind::event, e});
  }
  for (std::size_t r = 0; r < script_.regions.size(); ++r) {
    const RegionDefinition& region = script_.regions[r];
    if (region.is_defined && (goes[region.begin.event] || goes[region.end.event])) found.push_back({Kind::region, r});
  }
  for (std::size_t h = 0; h < script_.high_level.size(); ++h)
    if (script_.high_level[h].is_defined && is_made_of(script_.high_level[h], goes))
      found.push_back({Kind::high_level, h});
  return found;
}

std::vector<DefinitionTable::Definition> DefinitionTable::undefine(const Definition& definition) {
  std::vector<Definition> gone = support(definition);
  gone.push_back(definition);
  for (const Definition& each : gone) {
    set_defined(each, false);
    auto node = names_[place_of(each.kind)].extract(name_of(each));
    if (!node.empty()) unused_[place_of(each.kind)].insert(std::move(node));
  }
  return gone;
}

void DefinitionTable::set_defined(const Definition& definition, bool is_defined) {
  switch (definition.kind) {
    case Kind::process:
      script_.processes[definition.number].is_defined = is_defined;
      return;
    case Kind::event:
      script_.events[definition.number].is_defined = is_defined;
      return;
    case Kind::region:
      script_.regions[definition.number].is_defined = is_defined;
      return;
    case Kind::high_level:
      script_.high_level[definition.number].is_defined = is_defined;
      return;
  }
}

const std::string& DefinitionTable::name_of(const Definition& definition) const {
  switch (definition.kind) {
    case Kind::process:
      return script_.processes[definition.number].name;
    case Kind::event:
      return script_.events[definition.number].name;
    case Kind::region:
      return script_.regions[definition.number].name;
    case Kind::high_level:
      break;
  }
  return script_.high_level[definition.number].name;
}

std::vector<std::string> DefinitionTable::names(Kind kind) const {
  std::vector<std::pair<std::size_t, std::string>> by_number;
  for (const auto& [name, number] : names_[place_of(kind)]) by_number.emplace_back(number, name);
  std::sort(by_number.begin(), by_number.end());
  std::vector<std::string> names;
  for (auto& [number, name] : by_number) names.push_back(std::move(name));
  return names;
}

}  // namespace dpm
