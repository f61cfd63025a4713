// The life of a process as blame sees it: gaps between its events, of which each has a part in which it was idle.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/blame/blame_node.hpp"
#include "model/ids.hpp"

namespace dpm {

struct BlameInterval {
  std::int64_t from_ns = 0, to_ns = 0;

  std::int64_t length_ns() const { return to_ns - from_ns; }
};

// From a SEND that is answered to the RECEIVE of the answer.
struct BlameRequest {
  BlameInterval interval;
  ProcessId answered_by;
};

// From one event of a process to the next.
struct ProcessGap {
  std::int64_t from_ns = 0, to_ns = 0;
  std::int64_t idle_from_ns = 0, idle_to_ns = 0;
  // Outside the idle time; what is left is not split.
  std::int64_t cpu_ns = 0, ready_ns = 0, disk_ns = 0, other_ns = 0;
  ProcessId waits_for;  // of the idle time; none: something else
  BlameWait why = BlameWait::message;
  std::int64_t sent_ns = 0;

  std::int64_t busy_ns() const { return to_ns - from_ns - (idle_to_ns - idle_from_ns); }
  // What of it is before `at_ns`.
  std::int64_t busy_until(std::int64_t at_ns) const;
};

struct ProcessLine {
  std::vector<ProcessGap> gaps;
  std::vector<BlameRequest> requests;
  std::int64_t first_ns = 0, last_ns = 0;
  MachineId machine;
  std::int64_t ready_ns = 0, other_ns = 0;  // in all
  bool seen = false, measured = true;

  // Null: the process was not seen then.
  const ProcessGap* gap_at(std::int64_t at_ns) const;
};

// The share of an amount that is spread evenly over `whole`, up to `at`. Shares of neighbouring parts add up exactly.
std::int64_t share_until(std::int64_t amount, std::int64_t at, std::int64_t whole);

}  // namespace dpm
