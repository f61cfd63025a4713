#include "filter/scripts/event_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <dpm/monitor/actions.hpp>
#include <map>
#include <optional>

#include "model/lower_case.hpp"
#include "model/nearest_name.hpp"

namespace dpm {
namespace {

using monitor::kActionNames;

struct Word {
  std::string_view text;
  std::size_t column = 0;  // from 1
};

std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> words;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(" \t\r", at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back({line.substr(at, end - at), at + 1});
    at = end;
  }
  return words;
}

class ScriptParser {
 public:
  explicit ScriptParser(const std::string& file) : file_(file) {}

  Result<EventScript> parse(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      parse_line(words_of(text.substr(0, end)));
      if (error_) return *error_;
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::move(script_);
  }

 private:
  void parse_line(const std::vector<Word>& words) {
    if (words.empty() || words[0].text.front() == '#') return;
    if (words[0].text == "process") return parse_process(words);
    if (words[0].text == "event") return parse_event(words);
    const std::vector<std::string> valid{"process", "event"};
    fail(words[0], fmt::format("a line begins with process, event or #, not with '{}'{}", words[0].text,
                               did_you_mean(words[0].text, valid)));
  }

  void parse_process(const std::vector<Word>& words) {
    if (!has_form(words, {"process", "", "from", ""}, "process NAME from PROGRAM[COUNT]")) return;
    ProcessDefinition process{std::string(words[1].text), std::string(words[3].text), 0, line_};
    const std::size_t bracket = process.program.find('[');
    if (bracket != std::string::npos) {
      const std::string_view count = std::string_view(process.program).substr(bracket + 1);
      const auto [end, wrong] = std::from_chars(count.data(), count.data() + count.size(), process.count);
      if (wrong != std::errc() ||
          std::string_view(end, static_cast<std::size_t>(count.data() + count.size() - end)) != "]" ||
          process.count == 0)
        return fail({words[3].text.substr(bracket), words[3].column + bracket},
                    "the count of a process is a number from 1 in brackets: prog[3]");
      process.program.resize(bracket);
    }
    if (process.program.empty() || process.program.find('/') != std::string::npos)
      return fail(words[3], "a program is named by its file, without folders");
    if (const auto [known, is_new] = processes_.try_emplace(process.name, script_.processes.size()); !is_new)
      return fail(words[1], fmt::format("process '{}' is defined on line {} already", process.name,
                                        script_.processes[known->second].line));
    script_.processes.push_back(std::move(process));
  }

  void parse_event(const std::vector<Word>& words) {
    if (!has_form(words, {"event", "", "is", "", "on", "", "at", ""},
                  "event NAME is ACTION on OBJECT at MACHINE.PROCESS.FUNCTION"))
      return;
    EventDefinition event;
    event.name = words[1].text;
    event.object = words[5].text;
    event.line = line_;
    if (const auto [known, is_new] = events_.try_emplace(event.name, script_.events.size()); !is_new)
      return fail(words[1], fmt::format("event '{}' is defined on line {} already", event.name,
                                        script_.events[known->second].line));
    const auto action = std::ranges::find(kActionNames, words[3].text, &monitor::ActionName::name);
    if (action == kActionNames.end()) return fail(words[3], unknown_action(words[3].text));
    event.action = static_cast<std::size_t>(action - kActionNames.begin());
    if (!parse_place(words[7], event)) return;
    script_.events.push_back(std::move(event));
  }

  // The names of machines have dots, those of processes and functions have none.
  bool parse_place(const Word& place, EventDefinition& event) {
    const std::size_t last = place.text.rfind('.');
    const std::size_t first = last == std::string_view::npos || last == 0 ? last : place.text.rfind('.', last - 1);
    if (last == std::string_view::npos || first == std::string_view::npos || first == 0 || last == first + 1 ||
        last + 1 == place.text.size()) {
      fail(place, "the place of an event is MACHINE.PROCESS.FUNCTION, with * for every machine");
      return false;
    }
    event.machine = place.text.substr(0, first);
    event.function = place.text.substr(last + 1);
    const std::string_view name = place.text.substr(first + 1, last - first - 1);
    const auto process = processes_.find(std::string(name));
    if (process == processes_.end()) {
      std::vector<std::string> valid;
      for (const ProcessDefinition& known : script_.processes) valid.push_back(known.name);
      fail({name, place.column + first + 1},
           fmt::format("process '{}' is not defined above{}", name, did_you_mean(name, valid)));
      return false;
    }
    event.process = process->second;
    return true;
  }

  // Words that are empty here may be anything.
  bool has_form(const std::vector<Word>& words, const std::vector<std::string_view>& form, const char* usage) {
    for (std::size_t i = 0; i < form.size(); ++i) {
      if (i < words.size() && (form[i].empty() || words[i].text == form[i])) continue;
      const Word end{"", words.back().column + words.back().text.size()};
      fail(i < words.size() ? words[i] : end, fmt::format("expected: {}", usage));
      return false;
    }
    if (words.size() > form.size()) fail(words[form.size()], fmt::format("expected nothing more: {}", usage));
    return !error_;
  }

  static std::string unknown_action(std::string_view word) {
    std::vector<std::string> valid;
    for (const monitor::ActionName& known : kActionNames) valid.emplace_back(known.name);
    const std::string near = did_you_mean(word, valid);
    return fmt::format("no action has the name '{}'{}", word,
                       near.empty() ? fmt::format("; the actions are {}", fmt::join(valid, ", ")) : near);
  }

  void fail(const Word& at, const std::string& what) {
    if (!error_) error_ = Error{fmt::format("{}:{}:{}: {}", file_, line_, at.column, what)};
  }

  const std::string& file_;
  std::size_t line_ = 0;
  EventScript script_;
  std::map<std::string, std::size_t> processes_, events_;  // by name, in script_
  std::optional<Error> error_;
};

}  // namespace

Result<EventScript> parse_event_script(const std::string& file, std::string_view text) {
  return ScriptParser(file).parse(text);
}

bool is_meant(const EventScript& script, const EventDefinition& event, std::string_view machine,
              std::string_view program, std::uint32_t count) {
  const ProcessDefinition& process = script.processes[event.process];
  return process.program == program && (process.count == 0 || process.count == count) &&
         (event.machine == "*" || lower_case(event.machine) == lower_case(machine));
}

}  // namespace dpm
