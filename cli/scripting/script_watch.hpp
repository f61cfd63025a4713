// An event script at work on the programs of this machine: tells each which events are wanted, and takes those that happened.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "backends/instrumented/program_folder.hpp"
#include "filter/scripts/event_script.hpp"

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
  std::int64_t value = 0;
};

struct EventCount {
  std::uint64_t seen = 0, reported = 0, lost = 0;  // seen = reported + lost
};

class ScriptWatch {
 public:
  ScriptWatch(EventScript script, ProgramFolder folder, std::string machine);

  // Looks once. Those of one thread are in its order; valid until the next call.
  std::span<const Occurrence> take();
  // Readable when it is worth looking before the next pause is over.
  int descriptor() const { return folder_.descriptor(); }
  // What the script's author should know, each once: names that fit nothing, programs of another version.
  std::vector<std::string> take_complaints();

  const EventScript& script() const { return script_; }
  std::span<const WatchedProgram> programs() const { return programs_; }
  // Of each event so far.
  std::vector<EventCount> counts() const;
  // Records of threads and programs that cannot be told by event.
  std::uint64_t lost_otherwise() const;
  // Events whose object was never declared, with what is near: for the end.
  std::vector<std::string> unmet() const;

 private:
  struct Running {
    ProgramFolder::Found found;
    std::size_t program = 0;
    std::vector<std::vector<std::size_t>> events;  // of each object
    bool is_full = false;                          // and reported to be
    bool has_ended = false;
  };

  void meet(ProgramFolder::Found found);
  void look_at_objects(Running& running);
  void take_from(Running& running);
  std::uint32_t wanted_of(Running& running, std::size_t object);
  void add_losses(const Running& running, std::vector<EventCount>& counts) const;
  std::string unmet_text(std::size_t event) const;

  EventScript script_;
  ProgramFolder folder_;
  std::string machine_;
  std::vector<WatchedProgram> programs_;
  std::vector<Running> running_;
  std::map<std::string, std::uint32_t> counts_by_program_;
  std::vector<Occurrence> occurrences_;
  std::vector<std::string> complaints_;
  std::vector<EventCount> counts_;
  std::vector<bool> is_met_;
  std::map<std::string, std::vector<std::size_t>> events_by_place_;  // "object in function"
  std::vector<std::string> declared_;                                // as above, for near names
  std::uint64_t lost_otherwise_ = 0;
};

}  // namespace dpm::cli
