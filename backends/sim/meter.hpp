// The meter: makes events out of what processes do, collects them per machine and filter, and sends meter messages
// (1988 paper III.B). Every event that it has seen is delivered, or counted as lost for a reason.
//
// Callers test `process.flags` first, so that a process that is not metered pays one test.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backends/sim/machine.hpp"
#include "backends/sim/names.hpp"
#include "backends/sim/process.hpp"
#include "model/ledger.hpp"

namespace dpm::sim {

class Meter {
 public:
  // Sends a meter message from a machine to a filter. Takes the events out of `events`.
  using Send = std::function<void(Machine& from, std::uint16_t filter, std::vector<Event>& events)>;

  Meter(const MeterDescription& description, const Engine& engine, Names& names, Send send)
      : description_(description), engine_(engine), names_(names), send_(std::move(send)) {}

  // Completes the header of `event` (process, machine, times, load) and buffers it. The costs become what `process`
  // owes.
  void record(Process& process, Event event);

  // Sends what is buffered on the process's machine for its filter.
  void flush(Process& process) { send(*process.machine, process.filter); }
  void flush(Machine& machine);

  // Of a machine that failed: what it had not yet sent.
  void lose_buffers(Machine& machine, const std::string& reason);
  void lose(const std::string& reason, std::uint64_t events) { lost_[reason] += events; }

  // The pc of a call: the number of the place that makes it, in the order in which places are first used. With numbers
  // instead of addresses a trace does not depend on where the compiler put the program.
  std::uint64_t pc_of(const void* return_address);

  std::uint64_t seen() const { return seen_; }
  std::vector<Loss> losses() const;

 private:
  void send(Machine& machine, std::uint16_t filter);

  MeterDescription description_;
  const Engine& engine_;
  Names& names_;
  Send send_;
  std::uint64_t seen_ = 0;
  std::map<std::string, std::uint64_t> lost_;
  std::unordered_map<const void*, std::uint64_t> call_sites_;
};

}  // namespace dpm::sim
