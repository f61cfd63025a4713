// What differs between two runs: first what is new or gone, then the amounts that changed, by how much of the difference each
// explains.
//
//   structure   a process, pair or path that only one run has; a process that moved or has another name
//   measures    elapsed time, CPU time, messages, bytes: the one that changed most, relative to its total, comes first
//
// Further runs of the first system (`repeats`) say what is noise: a change that their differences cover is counted and left out,
// and so is a pair or path that is not in all of them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/difference/amounts.hpp"
#include "analysis/difference/noise.hpp"
#include "analysis/difference/run_profile.hpp"

namespace dpm {

enum class StructuralKind : std::uint8_t {
  new_process,
  gone_process,
  renamed_process,  // `names` are those in a and in b
  moved_process,    // `from` and `to` are machines
  new_path,         // `count` is the requests that took it
  gone_path,
  new_pair,  // `count` is the messages
  gone_pair,
};

struct StructuralChange {
  StructuralKind kind = StructuralKind::new_process;
  std::vector<std::string> names;
  std::string from, to;
  std::uint64_t count = 0;
};

struct AmountChange {
  AmountName name;
  double a = 0, b = 0;
  double explains = 0;  // its part of the change of the measure; 0 if the measure did not change
};

struct MeasureChange {
  Measure measure = Measure::elapsed;
  double a = 0, b = 0;
  bool within_noise = false;
  double change = 0;                  // of the whole, relative to the larger one; 0 if it is within the noise
  double moved = 0;                   // how much of the measure changed its name, 0 to 1
  std::vector<AmountChange> changes;  // the largest first
  std::size_t noise_changes = 0;      // left out
};

// How long messages waited in a queue.
struct WaitChange {
  std::string process;  // as in a
  double a_s = 0, b_s = 0;
};

struct Comparison {
  std::vector<StructuralChange> structure;
  std::vector<MeasureChange> measures;  // those with a change, by `change`, then by `moved`
  std::vector<WaitChange> mean_waits;   // of queues known in both runs, those that changed, the largest change first
  std::size_t structural_noise = 0;     // structural changes left out
  std::size_t runs_of_a = 1;            // 1: what is noise is not known
};

Comparison compare(const RunProfile& a, const RunProfile& b, std::span<const RunProfile> repeats = {});

}  // namespace dpm
