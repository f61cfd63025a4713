// A run as amounts with names. Amounts of one measure add up to that measure, so the changes of the amounts between two runs add
// up to the change of the measure.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include "analysis/difference/alignment.hpp"
#include "analysis/difference/run_profile.hpp"

namespace dpm {

enum class Measure : std::uint8_t {
  elapsed,   // seconds, by process and what it did
  cpu,       // seconds, by process
  messages,  // by pair
  bytes,     // by pair
};
inline constexpr Measure kMeasures[] = {Measure::elapsed, Measure::cpu, Measure::messages, Measure::bytes};

struct AmountName {
  Measure measure = Measure::elapsed;
  std::string process;  // of a pair: the sender
  std::string other;    // of a pair: the receiver; of elapsed time: the program that had the CPU or the lock
  std::string doing;    // of elapsed time

  friend auto operator<=>(const AmountName&, const AmountName&) = default;
};

using Amounts = std::map<AmountName, double>;

// What each process of a run is called: as in the first run, if it is aligned with a process there.
std::vector<std::string> names_of(const RunProfile& run);
std::vector<std::string> names_of(const RunProfile& run, const RunProfile& first, const Alignment& alignment);

Amounts amounts_of(const RunProfile& run, const std::vector<std::string>& names);
double total(const Amounts& amounts, Measure measure);

}  // namespace dpm
