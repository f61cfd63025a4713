// The ledger: nothing is lost silently. Every event a meter saw is kept, filtered away by a rule, or lost; the three
// add up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dpm {

// Why events are missing, in words a user can act on ("machine 'red' failed with 12 events in its meter buffer").
struct Loss {
  std::string reason;
  std::uint64_t events = 0;
};

// What a source reports when it ends: how many events its meters produced, and how many of them it could not deliver.
struct LossReport {
  std::uint64_t seen = 0;
  std::vector<Loss> losses;
  std::vector<std::string> warnings;  // "look at this before you trust the result"

  std::uint64_t lost() const {
    std::uint64_t events = 0;
    for (const auto& loss : losses) events += loss.events;
    return events;
  }
};

struct Ledger {
  std::uint64_t seen = 0;
  std::uint64_t kept = 0;
  std::uint64_t filtered = 0;
  std::uint64_t lost = 0;
  // The part of `kept` that --window removed again: it was recorded, and is not in the trace any more. It is not lost,
  // because its removal was asked for.
  std::uint64_t removed = 0;
  std::vector<Loss> losses;  // add up to `lost`
  std::vector<std::string> warnings;

  bool balanced() const { return seen == kept + filtered + lost; }
};

}  // namespace dpm
