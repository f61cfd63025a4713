// Where a small improvement pays most: the effect of every process and every link on the elapsed time and on P.
//
// Each row is a replay with one thing a little better, so it includes everything the replay knows: that the longest
// path moves elsewhere, that a faster process leaves more of its machine to the others, that messages come in another
// order. A row's names are those that `what_if.hpp` takes, so that a larger improvement can be tried next.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/history/replay.hpp"
#include "analysis/history/target.hpp"

namespace dpm {

struct Gain {
  enum class Of : std::uint8_t {
    process,   // `a` needs less CPU time
    link,      // messages between the processes `a` and `b`, either way, are delivered sooner
    machines,  // messages between the machines `a` and `b`
  };
  Of of = Of::process;
  std::string a, b;
  double used_s = 0;   // all its CPU time, or all its delays together
  double elapsed = 0;  // relative change of the elapsed time; negative is faster
  double P = 0;        // relative change of P
  // The elapsed time changes by clearly more than what is saved, because messages come in another order. Valid for this
  // run; for others only if they are as close to that change.
  bool reorders = false;
};

struct Gains {
  std::vector<Gain> gains;      // most elapsed time saved first, those that reorder last
  std::uint64_t left_out = 0;   // rows that were not tried, each with less CPU time or delays than any of its kind
  double elapsed_s = 0, P = 0;  // without any change
};

struct GainOptions {
  double gain = .01;                // that much less CPU time, or delay
  std::size_t most_of_a_kind = 50;  // rows to try: each costs a replay
};

// `order` must have been possible on `target`; otherwise the result is empty.
Gains find_gains(const History& history, const Target& target, const Roles& roles, Order order,
                 const GainOptions& options = {});

}  // namespace dpm
