// Puts the events of one process that are in several streams (it migrated, or its filter changed) into the order in
// which it performed them. Machines share no clock, so the order comes from the process itself:
//   - within a stream, records are in order;
//   - between streams, by process time, which travels with the process;
//   - at equal process times, a process stays where it is until it stops there to migrate, and continues with the
//     migration start on another machine. (If it passes through several machines without using any CPU time, which of
//     them came first is not known; the lower stream is taken.)
#pragma once

#include <span>
#include <vector>

#include "model/event.hpp"

namespace dpm {

std::vector<Event> merge_streams_of_process(std::span<const std::vector<Event>> streams);

}  // namespace dpm
