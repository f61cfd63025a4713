// What each thread did at each sample, as text, one fact a line:
//
//   dpm samples 1
//   source proc
//   interval_ns 123000000
//   machine green
//   states cpu_run cpu_queue ...
//   sample 1764169200123456789      a sample begins: nanoseconds of the machine's clock of the day
//   thread 812 4711                 a thread that was not seen before: its id, its start time in ticks. It is thread 0, the next is 1
//   0 select 53100                  from now on thread 0 is in this state; it was seen 53100 ns after the sample began
//   1 unrecognised 61200
//   gone 1                          not seen any more
//
// A thread without a line still waits where it waited at the last sample. The file may end anywhere: a line that is cut is
// left out. Files of another version, or with other states, are refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "sampling/states/state.hpp"

namespace dpm::sampling {

struct LoggedLook {
  std::uint32_t thread = 0;  // an index of StateLog::threads
  bool is_gone = false;
  std::optional<State> state;  // none: not recognised
  std::int64_t seen_ns = 0;    // by the clock of the day
};

struct LoggedSample {
  std::int64_t at_ns = 0;
  std::vector<LoggedLook> looks;
};

struct LoggedThread {
  std::uint32_t thread = 0;
  std::uint64_t start_ticks = 0;
};

struct StateLog {
  std::string source, machine;
  std::uint64_t interval_ns = 0;
  std::vector<LoggedThread> threads;
  std::vector<LoggedSample> samples;
};

inline constexpr std::string_view kStateLogFirstLine = "dpm samples 1";
inline constexpr std::string_view kUnrecognisedWord = "unrecognised";
std::string state_words();  // "cpu_run cpu_queue ..."

// `name` is the file in messages: "samples:7: ...".
Result<StateLog> read_state_log(std::string_view text, const std::string& name);

}  // namespace dpm::sampling
