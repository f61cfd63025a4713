// An event script at work on the programs of this machine: tells each which events are wanted, and takes those that happened.
// Programs that do not use the library get probes at their functions (backends/linux/probes).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/instrumented/program_folder.hpp"
#include "backends/linux/probes/probed_programs.hpp"
#include "cli/scripting/evaluation_backlog.hpp"
#include "filter/scripts/event_script.hpp"
#include "model/whole_number.hpp"

namespace dpm::cli {

struct WatchedProgram {
  std::string program;
  std::uint32_t pid = 0, parent = 0;
  std::uint32_t count = 0;  // it is the count-th that was started from this program file, from 1
};

// An event that happened. It is reported once for each definition that it fits.
struct Occurrence {
  std::uint64_t time_ns = 0;  // since 1970
  std::size_t event = 0;      // in EventScript::events
  std::size_t program = 0;    // in ScriptWatch::programs()
  std::uint32_t thread = 0;
  WholeNumber value;
  bool is_again = false;  // the record was reported for another definition before
};

struct EventCount {
  std::uint64_t seen = 0, reported = 0, lost = 0;  // seen = reported + lost
};

class ScriptWatch {
 public:
  // The script must outlive the watch. The words of a command that is started later, or the files of running programs, name programs
  // by path. With `only`, these processes are looked at and what they fork, and no others.
  ScriptWatch(const EventScript& script, ProgramFolder folder, std::string machine,
              const std::vector<std::string>& command, std::set<std::uint32_t> only = {});

  // This process of the script is new. Where events of its programs need probes, what takes long is made ready, so that redefine()
  // does not wait for it.
  void expect(std::size_t process);
  // This event of the script is new, another one, or not defined any more. The programs that run record accordingly when this
  // returns.
  void redefine(std::size_t event);
  // While it is off, programs do not record it.
  void switch_event(std::size_t event, bool is_on);

  // Looks once. Those of one thread are in its order; valid until the next call.
  std::span<const Occurrence> take();
  // Readable when it is worth looking before the next pause is over.
  int descriptor() const { return folder_.descriptor(); }
  // What the script's author should know, each once: names that fit nothing, programs of another version.
  std::vector<std::string> take_complaints();

  const EventScript& script() const { return script_; }
  std::span<const WatchedProgram> programs() const { return programs_; }
  // Those that run, by number in programs().
  std::vector<std::size_t> running() const;
  // "E F": the events that the program records now (S3's lookup vector), or "nothing".
  std::string wanted_text(std::size_t program) const;
  const EvaluationBacklog& backlog() const { return backlog_; }
  // Of each event so far.
  std::vector<EventCount> counts() const;
  // Records of threads and programs that cannot be told by event.
  std::uint64_t lost_otherwise() const;
  // Why programs that do not use the library cannot be looked at; or "".
  const std::string& refusal_of_probes() const { return probes_.refusal(); }
  // Events whose object was never declared, with what is near: for the end.
  std::vector<std::string> unmet() const;

 private:
  struct Wanting {
    std::size_t event = 0;
    monitor::Action action{};
    std::uint64_t dropped_before = 0;  // by full rings, before the event was wanted
  };
  struct Running {
    ProgramFolder::Found found;
    std::size_t program = 0;
    std::vector<std::vector<Wanting>> events = {};                           // of each object
    std::unordered_map<std::string, std::vector<std::size_t>> objects = {};  // by place
    bool is_full = false;                                                    // and reported to be
    bool has_ended = false;
  };

  // A process that does not use the library.
  struct Probed {
    std::size_t program = 0;
    std::set<std::size_t> events;
  };

  ProbedPrograms probed_programs(const std::vector<std::string>& command) const;
  std::size_t add_program(const std::string& program, std::uint32_t pid, std::uint32_t parent);
  void meet(ProgramFolder::Found found);
  bool is_chosen(const InstrumentedProgram& program);
  void answer_others();
  void take_from_probes();
  void meet_probed(const std::string& program, std::uint32_t pid, std::uint32_t parent,
                   const std::set<std::size_t>& events);
  void set_probed(Probed& process, std::size_t event, bool has_probe);
  void note_backlog();
  void add_probe_losses(std::vector<EventCount>& counts) const;
  void look_at_objects(Running& running);
  void take_from(Running& running);
  void meet_object(Running& running, std::size_t object);
  void want(Running& running, std::size_t object);
  bool is_wanted(const Running& running, std::size_t object, std::size_t event);
  std::string place_of(std::size_t event) const;
  ProbedPrograms::Wanted probe_for(std::size_t event) const;
  void add_losses(const Running& running, std::vector<EventCount>& counts) const;
  std::string unmet_text(std::size_t event) const;

  const EventScript& script_;
  ProgramFolder folder_;
  std::string machine_;
  std::vector<WatchedProgram> programs_;
  std::vector<Running> running_;
  std::set<std::uint32_t> only_;              // empty: every process
  std::vector<ProgramFolder::Found> others_;  // that were not chosen: nothing of them is wanted
  std::map<std::string, std::uint32_t> counts_by_program_;
  std::vector<Occurrence> occurrences_;
  std::vector<std::string> complaints_;
  std::vector<EventCount> counts_;
  std::vector<bool> is_met_;
  std::vector<bool> is_off_;
  std::unordered_map<std::string, std::vector<std::size_t>> events_by_place_;  // "object in function"
  std::vector<std::string> place_of_;                                          // by event, as in events_by_place_
  EvaluationBacklog backlog_;
  std::vector<std::string> declared_;  // as above, for near names
  std::uint64_t lost_otherwise_ = 0;
  ProbedPrograms probes_;
  std::map<std::uint32_t, Probed> probed_;  // by process; those that ended too
};

}  // namespace dpm::cli
