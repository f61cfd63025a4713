// How one machine's clock relates to all others, through machines that exchanged messages both ways: along the path
// with the narrowest combined bounds (widths of offsets add up, so it is a shortest path).
#pragma once

#include <span>
#include <vector>

#include "analysis/clocks/clocks.hpp"

namespace dpm {

class ClockPaths {
 public:
  // Offsets are those of the moment when the clock of `from` reads `at`.
  ClockPaths(std::span<const ClockPair> pairs, std::size_t machines, MachineId from, LocalTime at);

  bool reaches(MachineId machine) const { return reached_.at(machine.value).reached; }
  ClockOffset offset(MachineId machine) const { return reached_.at(machine.value).offset; }
  Bounds drift(MachineId machine) const { return reached_.at(machine.value).drift; }
  std::vector<MachineId> via(MachineId machine) const;
  MachineId previous(MachineId machine) const { return reached_.at(machine.value).previous; }
  LocalTime at() const { return at_; }

 private:
  struct Reached {
    bool reached = false, done = false;
    ClockOffset offset;
    Bounds drift{0, 0};
    MachineId previous;
  };
  void extend(const ClockPair& pair, MachineId from, MachineId to);

  LocalTime at_;
  std::vector<Reached> reached_;
};

// The drift of `to`'s clock relative to `from`'s, by the pair's piece at that time of `from`.
Bounds drift_of(const ClockPair& pair, MachineId from);

ClockRelation relation_between(const Clocks& clocks, const ClockPaths& paths, MachineId a, MachineId b);

}  // namespace dpm
