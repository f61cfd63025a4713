// Semaphores in memory that the processes of a machine share (thesis 6.3.1), as data (semaphore_calls.hpp has the calls).
//
// A V is a SEND of one unit into the semaphore's channel, and a P the RECEIVE of one: a stream of units (ChannelKind::stream) that any
// process may write and read, numbered from the first V on. It costs and takes what a message of one byte on one machine does. Units of
// the beginning were given by no process, so a P that finds one does not wait, costs nothing and is not recorded.
//
//   lock, 1 at the beginning    P V P V P V           V 0, V 1, V 2
//                                 0 ┘   1 ┘            the second P takes unit 0, the third takes unit 1
//
// The process that has waited longest takes the next unit.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "backends/sim/process.hpp"
#include "model/scenario.hpp"

namespace dpm::sim {

struct Semaphore {
  std::string name;
  std::uint64_t units_of_beginning = 0;
  std::uint64_t given = 0;           // since then
  std::deque<std::uint64_t> units;   // that have arrived and are not taken, by number
  std::deque<Process*> waiting;      // may have ended, or begun again
  const Machine* machine = nullptr;  // whose memory it is in: that of its first user
  ChannelId channel;                 // given when a trace first names it
  ChannelSetId set;
};

class Semaphores {
 public:
  explicit Semaphores(const Scenario& scenario);
  // Null if the scenario has none of that name.
  Semaphore* find(std::string_view name);

 private:
  std::map<std::string, Semaphore, std::less<>> by_name_;
};

}  // namespace dpm::sim
