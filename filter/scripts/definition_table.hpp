// The definitions that are in force (S3 2.4), line by line: of a script, or of a console where they come and go.
//
//   process ◄── event ◄── region, high-level event
//
// What stands on something that is undefined is undefined with it. A definition keeps its number for good, so that what has been
// told about it stays right.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "filter/scripts/event_script.hpp"
#include "filter/scripts/high_level_parser.hpp"
#include "filter/scripts/script_words.hpp"

namespace dpm {

class DefinitionTable {
 public:
  // What a name that is defined already means. A script has it twice by mistake; a console replaces it (S3 A.2.2).
  enum class Again : bool { is_refused, replaces };

  enum class Kind : std::uint8_t { process, event, region, high_level };
  struct Definition {
    Kind kind = Kind::process;
    std::size_t number = 0;  // in the list of its kind in EventScript
    friend bool operator==(const Definition&, const Definition&) = default;
  };

  explicit DefinitionTable(Again again) : again_(again) {}

  // Nothing for a comment. `number` is the line's, for later messages.
  struct Read {
    std::optional<Definition> definition;
    std::optional<ScriptMistake> mistake;
  };
  Read read_line(std::string_view line, std::size_t number);

  // The name may stand for several kinds: the first of process, event, region, high-level event.
  std::optional<Definition> find(std::string_view name) const;
  std::optional<Definition> find(Kind kind, std::string_view name) const;
  // What has to go with it: for a process its events, and for those what is made of them. Not itself.
  std::vector<Definition> support(const Definition& definition) const;
  // With all that stands on it: these, itself last.
  std::vector<Definition> undefine(const Definition& definition);

  const std::string& name_of(const Definition& definition) const;
  std::vector<std::string> names(Kind kind) const;  // in the order of their numbers
  bool has_any(Kind kind) const { return !names_[static_cast<std::size_t>(kind)].empty(); }
  const EventScript& script() const { return script_; }
  EventScript take() { return std::move(script_); }

 private:
  Read read_process(const std::vector<ScriptWord>& words);
  Read read_event(const std::vector<ScriptWord>& words);
  Read read_region(std::string_view line);
  Read read_high_level(std::string_view line);
  std::optional<ScriptMistake> read_place(const ScriptWord& place, EventDefinition& event) const;
  std::optional<ScriptMistake> defined_twice(const char* kind, const ScriptWord& name, std::size_t line) const;
  template <typename Definitions, typename New>
  Read keep(Kind kind, Definitions& definitions, New definition);
  void set_defined(const Definition& definition, bool is_defined);
  static bool is_made_of(const HighLevelEvent& made, const std::vector<bool>& events);

  Again again_;
  std::size_t line_ = 0;
  EventScript script_;
  std::map<std::string, std::size_t> names_[4];   // by kind: those that are defined
  std::map<std::string, std::size_t> unused_[4];  // and those that were, which keep their numbers
};

}  // namespace dpm
