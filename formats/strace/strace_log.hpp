// The lines of one log of strace, joined to calls: calls that others interrupt, and the processes of lines that do not say theirs.
//
// A log of a terminal has no numbers before there is a second process, and none again once only one is left. The process that began without one
// gets its number from the first line with a number that no other process can have.
//
// strace prints what a new process does before it prints that the call that made it returned. Its lines wait for that: only then is it known
// whose descriptors it has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/strace/strace_clock.hpp"
#include "formats/strace/strace_line.hpp"
#include "formats/strace/strace_translator.hpp"

namespace dpm {

// Lines of a log, by what they were.
struct StraceLineCounts {
  std::uint64_t of_strace = 0;
  std::uint64_t foreign = 0;  // no line of strace at all
  std::uint64_t broken = 0;   // with its number or time, and not whole
  std::uint64_t places = 0;   // of -k
};

class StraceLog {
 public:
  // `tid`: of lines without a number; 0: not known.
  StraceLog(StraceTranslator& translator, std::uint32_t tid) : translator_(translator), tid_(tid) {}

  // The next line; too long: only its beginning.
  void take(std::string_view text, bool is_cut);
  void end();

  const StraceLineCounts& lines() const { return lines_; }
  StraceTimeKind times() const { return clock_.kind(); }
  bool knows_durations() const { return knows_durations_; }  // -T

 private:
  struct Unfinished {
    std::optional<StraceCallKind> kind;
    std::string name, text;
    std::int64_t began_ns = 0;
  };
  struct Held {
    std::string text;
    std::int64_t time_ns = 0;
  };

  bool take_notice(std::string_view text);
  bool continues(std::string_view text);
  std::uint32_t number_of(const StraceLine& line);
  bool must_wait(const StraceLine& line, std::uint32_t tid) const;
  void act(const StraceLine& line, std::uint32_t tid, std::int64_t time_ns);
  void begin(const StraceLine& line, std::uint32_t tid, std::int64_t time_ns, bool finished);
  void resume(std::uint32_t tid, std::int64_t time_ns, std::string_view call, std::string_view text);
  void finish(StraceCall call, std::string_view text);
  void forget(std::uint32_t tid);
  void supersede(std::uint32_t tid, std::uint32_t other);
  void release(std::uint32_t tid);
  void release_all();
  StraceProcesses& processes() { return translator_.processes(); }

  StraceTranslator& translator_;
  std::uint32_t tid_;
  StraceClock clock_;
  StraceLineCounts lines_;
  std::unordered_map<std::uint32_t, Unfinished> unfinished_;   // by tid
  std::uint32_t births_ = 0;                                   // of them, calls that make a process
  std::unordered_map<std::uint32_t, std::vector<Held>> held_;  // by tid
  std::vector<std::uint32_t> held_order_;
  std::size_t held_bytes_ = 0;
  std::uint32_t interrupted_ = 0;  // the tid of a call in whose line strace reported something
  bool is_interrupted_ = false, knows_durations_ = false, releasing_ = false;
};

}  // namespace dpm
