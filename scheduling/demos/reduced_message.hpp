// What a filter passes on to the scheduler: the events that a window counts, the tables that explain them, and how the machines
// are. Numbers take seven bits a byte, so an event takes about 20 bytes instead of 80.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/feedback.hpp"
#include "model/result.hpp"

namespace dpm {

std::vector<std::byte> reduce(const ReducerInput& input);

struct Reduced {
  std::vector<ProcessInfo> processes;  // all: name, program, machine and in_computation
  std::vector<std::vector<ChannelId>> channel_sets;
  std::vector<Event> events;
  std::vector<MachineNow> machines;
  std::uint64_t lost_events = 0;
};

// Refuses what reduce() has not written.
Result<Reduced> read_reduced(std::span<const std::byte> body);

}  // namespace dpm
