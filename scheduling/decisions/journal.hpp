// What the scheduler saw, what it predicted, what was measured, and what became of it: a row for each decision.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "model/time.hpp"
#include "scheduling/policies/interface/policy.hpp"

namespace dpm {

enum class DecisionOutcome : std::uint8_t {
  nothing,     // the policy proposed nothing
  incomplete,  // the window has losses: no move is based on data that are not known
  open,        // moved, and not yet measured
  kept,
  undone,  // it was slower afterwards
  failed,  // a move could not be made; those made before it were undone
  ended,   // the work, or a process with a part in it, ended first: nothing was measured, and the moves were undone
  oscillating,   // a process went to and fro, and stays where it is for a while
  proposed,      // in a dry run: it would have been moved
  machine_lost,  // a machine has disappeared; its processes were let go
};

std::string_view name_of(DecisionOutcome outcome);

struct JournalMove {
  std::string process, from, to;

  friend bool operator==(const JournalMove&, const JournalMove&) = default;
};

struct JournalEntry {
  std::uint64_t number = 0;
  Duration at;
  double rate_before = 0;  // messages received a second, in the window; of live programs bytes
  std::vector<JournalMove> moves;
  std::optional<GainRange> predicted;
  std::optional<double> rate_after;
  DecisionOutcome outcome = DecisionOutcome::nothing;
  std::string reason;

  std::optional<double> measured_gain() const {
    if (!rate_after || rate_before <= 0) return std::nullopt;
    return *rate_after / rate_before - 1;
  }
};

// One line of text for an entry, for channels that carry lines: fields separated by tabs.
std::string encode_entry(const JournalEntry& entry);
Result<JournalEntry> decode_entry(std::string_view line);

}  // namespace dpm
